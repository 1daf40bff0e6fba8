"""Limits that a turn met without anybody noticing: each is counted, and an alarm watches the count (E6)."""

from lanekeeper.ledger import store
from lanekeeper.postgres import Transaction
from lanekeeper.turn.intake import Turn
from lanekeeper.types import new_id


class LimitsMet:
    """The limits one turn met, until they are known to be written.

    A transaction that broke off may have been committed or not. So each carries a key by which it is counted once,
    however often it is written, and it is told to the alarm when it is known to be there.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._waiting: dict[str, str] = {}

    def count(self, kind: str) -> None:
        """Count one, by a short word for operators."""
        self._waiting[new_id("limit")] = kind

    async def write(self, transaction: Transaction) -> None:
        """Write those that wait in a transaction of the turn. They wait until it is committed."""
        for key, kind in self._waiting.items():
            await store.count_limit_hit(transaction, self._turn.hold.user_id, self._turn.id, kind, key)
        written = tuple(self._waiting)
        transaction.once_committed(lambda: self._forget(written))

    def _forget(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            self._waiting.pop(key, None)
