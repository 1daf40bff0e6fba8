"""A person's look at what is noted of them, and their way to take a note out (W1, W4)."""

from dataclasses import dataclass
from datetime import datetime

from lanekeeper.limits import Limits
from lanekeeper.memory.forgetting import forget_note
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__, "own.sql")


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A note that is gone. ``waits``: whether a worker is to look: one may have passed over a message meanwhile."""

    waits: bool


class OwnNotes:
    """One person's notes at a time. Another person's, and those that never were, are equally unknown.

    Args:
        limits: how long a deletion waits for a worker that is writing, and what forgetting looks through.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits

    async def page(
        self, user_id: str, before: tuple[datetime, str], limit: int, *, replaced: bool = False
    ) -> list[Json]:
        """Notes from a place on, the newest first, each with its message.

        Args:
            user_id: whose.
            before: time and id of the note after which the page begins.
            limit: the most there may be.
            replaced: whether those in whose place another came are among them.
        """
        at, one_id = before
        parameters = {"at": at, "id": one_id, "limit": limit}
        statement = SQL["kept" if replaced else "standing"]
        (rows,) = await self._database.at_once(statement, user_id=user_id, parameters=parameters)
        return rows

    async def forget(self, user_id: str, note_id: str) -> TakenOut | None:
        """Forget a note in every place it has left a trace in; None when the person has no such note.

        Raises:
            psycopg.errors.LockNotAvailable: a worker did not let go of the lane in time.
        """
        async with self._database.transaction(user_id=user_id) as transaction:
            transaction.put(SQL["wait_for_lane"], {"lane_wait": f"{self._limits.lane_wait_s}s"})
            forgotten = await forget_note(transaction, user_id, note_id, self._limits)
            lane = await transaction.row(SQL["waits"], {"user_id": user_id})
        return None if forgotten is None else TakenOut(bool(lane and lane["waits"]))
