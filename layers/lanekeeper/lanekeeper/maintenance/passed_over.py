"""Messages that a worker passed over: it came for them while work in the background had locked their person's lane."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from lanekeeper.postgres import Database, Statements

SQL = Statements.beside(__file__, "compacting.sql")


class PassedOver:
    """Wakes another worker for them, so that nobody waits for the minute's tick.

    Args:
        database: a connection of the maintenance role.
        wake: starts one worker.
    """

    def __init__(self, database: Database, wake: Callable[[], Awaitable[object]]) -> None:
        self._database = database
        self._wake = wake

    @asynccontextmanager
    async def looked_after(self, user_id: str) -> AsyncIterator[None]:
        """Do something in the background of a person, then look whether a message of theirs was passed over."""
        try:
            yield
        finally:
            ((row,),) = await self._database.at_once(SQL["is_passed_over"], user_id=user_id)
            if row["waits"]:
                await self._wake()
