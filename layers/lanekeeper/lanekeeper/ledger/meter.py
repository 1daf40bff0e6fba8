"""Counts calls in transactions of its own: for whoever has no turn's transaction to put them in."""

from collections.abc import Awaitable, Callable

from lanekeeper.ledger import store
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Prices, Usage, parse_prices
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Transaction
from lanekeeper.postgres.stored_setting import StoredSetting

Guard = Callable[[Transaction], Awaitable[None]]

PRICES_SETTING = "prices"


def stored_prices(limits: Limits) -> StoredSetting[Prices]:
    """The price table, used where the gateway names no price. Empty until someone sets it."""
    none: Prices = {}
    return StoredSetting(PRICES_SETTING, parse_prices, none, limits.setting_cache_s)


class DatabaseMeter:
    """Writes each call's cost row before and after the call.

    The first write does not wait for the disk: a row lost with the database is a call that was lost with it.

    Args:
        database: where the rows go.
        prices: what calls cost whose gateway does not say.
        keep_requests: whether the exact requests are kept (A4).
        guard: run first in each transaction; raises when its owner may write no more.
    """

    def __init__(
        self,
        database: Database,
        prices: StoredSetting[Prices],
        *,
        keep_requests: bool = False,
        guard: Guard | None = None,
    ) -> None:
        self._database = database
        self._prices = prices
        self._keep_requests = keep_requests
        self._guard = guard

    async def opened(self, call: Call) -> None:
        """Write the row as an estimate, and the request where it is kept."""
        async with self._database.transaction(user_id=call.user_id, durable=False) as tx:
            if self._guard:
                await self._guard(tx)
            await store.open_cost(tx, call)
            if self._keep_requests:
                await store.keep_request(tx, call.user_id, call.turn_id, call.body)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Write what the call cost."""
        async with self._database.transaction(user_id=call.user_id) as tx:
            if self._guard:
                await self._guard(tx)
            price = (await self._prices.read(tx)).get(call.model)
            await store.settle_cost(tx, call, usage, price, failed=failed)
