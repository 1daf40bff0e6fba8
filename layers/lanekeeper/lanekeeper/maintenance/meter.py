"""Counts what calls cost that are made in somebody's name while nobody waits for them (K2)."""

from lanekeeper.ledger import store
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Usage
from lanekeeper.maintenance.in_force import OperatorSettings
from lanekeeper.postgres import Database, Statements

SQL = Statements.beside(__file__, "compacting.sql")


class BackgroundMeter:
    """The ledger of one person's calls in the background. No lane is held for them, and each row stands by itself.

    A call is on the books before it is made, as an estimate; its price comes when it is over, also when it failed. Of
    somebody who was deleted meanwhile nothing is written any more.

    Args:
        database: a connection of the maintenance role.
        user_id: in whose name.
        settings: what calls cost.
    """

    def __init__(self, database: Database, user_id: str, settings: OperatorSettings) -> None:
        self._database = database
        self._user_id = user_id
        self._settings = settings

    async def opened(self, call: Call) -> None:
        """Put the call on the books."""
        await self._write(call, Usage(input_tokens=call.input_tokens, micros=call.micros), failed=False)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Put down what it cost."""
        await self._write(call, usage, failed=failed)

    async def _write(self, call: Call, usage: Usage, *, failed: bool) -> None:
        price = (await self._settings.read()).prices.get(call.model)
        async with self._database.transaction(user_id=self._user_id, durable=False) as transaction:
            if await transaction.row(SQL["person_stands"], {"user_id": self._user_id}):
                await store.settle_cost(transaction, call, usage, price, failed=failed)
