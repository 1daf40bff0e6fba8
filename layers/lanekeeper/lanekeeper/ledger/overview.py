"""The books as an administrator reads them, across people. Whoever calls this has seen that the reader is one."""

from datetime import date, datetime
from typing import Any, LiteralString

from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__, "overview.sql")


class Overview:
    """Reads turns, costs and limits of everybody.

    People are named by the hash that logs and traces have. Every look leaves a row in the audit log, in the name of
    ``actor``, the reader's own id.

    Args:
        database: a connection of the accept role.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def turn(self, actor: str, turn_id: str) -> Json | None:
        """Everything about a turn but what was said, with the names of its columns; None when there is none."""
        rows = await self._look(SQL["turn"], actor, turn_id=turn_id)
        story: Json | None = rows[0]["story"]
        return story

    async def requests(self, actor: str, turn_id: str) -> list[Json]:
        """What was sent to the model in a turn, exactly, where it was kept: ``at`` and ``body``, oldest first."""
        return await self._look(SQL["requests"], actor, turn_id=turn_id)

    async def turns(
        self,
        actor: str,
        before: str | None,
        at_most: int,
        *,
        state: str | None = None,
        user: str | None = None,
        failure: str | None = None,
    ) -> list[Json]:
        """Turns, the newest first.

        Args:
            actor: who looks.
            before: only those older than the turn of that id.
            at_most: so many.
            state: only those in that state.
            user: only those of the person whom logs name by that hash.
            failure: only those that ended for that reason.
        """
        wanted = {"state": state, "user": user, "failure": failure}
        return await self._look(SQL["turns"], actor, before=before, at_most=at_most, **wanted)

    async def costs(self, actor: str, since: datetime, until: datetime) -> list[Json]:
        """Calls, tokens and micros by day (UTC), feature and model."""
        return await self._look(SQL["costs"], actor, since=since, until=until)

    async def spenders(self, actor: str, since: datetime, until: datetime, at_most: int) -> list[Json]:
        """The people who cost most, with their calls and micros."""
        return await self._look(SQL["spenders"], actor, since=since, until=until, at_most=at_most)

    async def limits(self, actor: str, since: datetime, until: datetime) -> list[Json]:
        """Limits that were met by day (UTC) and kind: how often, and by how many people."""
        return await self._look(SQL["limits"], actor, since=since, until=until)

    async def nights(self, actor: str, since: date, until: date) -> list[Json]:
        """The nightly pass by night, the newest first: whom it covered, and when it last ran at all."""
        return await self._look(SQL["nights"], actor, since=since, until=until)

    async def _look(self, statement: LiteralString, actor: str, **parameters: Any) -> list[Json]:
        async with self._database.transaction() as transaction:
            return await transaction.rows(statement, {"actor": actor, **parameters})
