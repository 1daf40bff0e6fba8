"""Limits that a turn met without anybody noticing: each is counted, and an alarm watches the count (E6)."""

from lanekeeper.ledger import store
from lanekeeper.postgres import Transaction
from lanekeeper.turn.intake import Turn


class LimitsMet:
    """The limits one turn met, until they are written."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._kinds: list[str] = []

    def count(self, kind: str) -> None:
        """Count one, by a short word for operators."""
        self._kinds.append(kind)

    async def write(self, transaction: Transaction) -> None:
        """Write those that wait in a transaction of the turn."""
        while self._kinds:
            await store.count_limit_hit(transaction, self._turn.hold.user_id, self._turn.id, self._kinds.pop(0))
