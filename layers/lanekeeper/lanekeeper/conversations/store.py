"""Reads and changes a person's conversations."""

from collections.abc import Mapping
from datetime import UTC, datetime

from lanekeeper.conversations.rules import Cursor, Page, conversation, fitting, place, ui_message
from lanekeeper.errors import Problem
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.types import Json

SQL = Statements.beside(__file__)

_LAST = Cursor(datetime.max.replace(tzinfo=UTC), "~")
_FIRST = Cursor(datetime.min.replace(tzinfo=UTC), "")


class Conversations:
    """A person's conversations. Another person's, and those that never were, are equally unknown.

    Args:
        limits: items and bytes of a page, and how long a deletion waits for a worker that is writing.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits

    async def page(self, user_id: str, after: Cursor | None, limit: int) -> Page:
        """A page of the list, the conversation that was written in last first."""
        start = after or _LAST
        parameters = {"user_id": user_id, "at": start.at, "id": start.id, "limit": limit + 1}
        async with self._database.transaction(user_id=user_id) as transaction:
            rows = await transaction.rows(SQL["page"], parameters)
        more = place(rows[limit - 1], "updated_at") if len(rows) > limit else None
        return Page([conversation(row) for row in rows[:limit]], more)

    async def change(self, user_id: str, name: str, changed: Mapping[str, str | None]) -> Json:
        """Give a conversation, named by id or alias, another title, another model, or both.

        Args:
            changed: the new ``title``, the new ``model_id`` (None leaves it to each turn). What is not there stays.

        Raises:
            Problem: 404.
        """
        async with self._database.transaction(user_id=user_id) as transaction:
            parameters = {
                "user_id": user_id,
                "id": await _find(transaction, user_id, name),
                "title": changed.get("title"),
                "sets_model": "model_id" in changed,
                "model_id": changed.get("model_id"),
            }
            row = await transaction.row(SQL["change"], parameters)
        if row is None:
            raise _unknown()
        return conversation(row)

    async def delete(self, user_id: str, name: str) -> None:
        """Delete a conversation with everything in it. A turn that runs in it is stopped.

        Raises:
            Problem: 404.
            psycopg.errors.LockNotAvailable: a worker did not let go of the lane in time.
        """
        async with self._database.transaction(user_id=user_id) as transaction:
            one_id = await _find(transaction, user_id, name)
            lane_wait = f"{self._limits.lane_wait_s}s"
            await transaction.last_row(SQL["delete"], {"user_id": user_id, "id": one_id, "lane_wait": lane_wait})

    async def history(self, user_id: str, name: str, before: Cursor | None, limit: int) -> Page:
        """A page of messages, oldest first; ``next`` leads to older ones. Waiting messages stand last.

        A page ends early when it would outgrow ``limits.page_bytes`` (B039).

        Raises:
            Problem: 404.
        """
        start = before or _LAST
        statement = SQL["newest_messages" if start.position is None else "older_messages"]
        async with self._database.transaction(user_id=user_id) as transaction:
            parameters = {
                "user_id": user_id,
                "id": await _find(transaction, user_id, name),
                "at": start.at,
                "message_id": start.id,
                "position": start.position,
                "limit": limit + 1,
            }
            rows = await transaction.rows(statement, parameters)
        items = [ui_message(row) for row in rows[:limit]]
        count = fitting(items, self._limits.page_bytes)
        last = rows[count - 1] if len(rows) > count else None
        return Page(items[:count][::-1], place(last, "created_at", last["position"]) if last else None)

    async def feed(self, user_id: str, name: str, after: Cursor | None, limit: int) -> Page:
        """What arrived outside a turn, oldest first; ``next`` is the place to look from the next time.

        Raises:
            Problem: 404.
        """
        start = after or _FIRST
        async with self._database.transaction(user_id=user_id) as transaction:
            parameters = {
                "user_id": user_id,
                "id": await _find(transaction, user_id, name),
                "at": start.at,
                "message_id": start.id,
                "limit": limit,
            }
            rows = await transaction.rows(SQL["feed"], parameters)
        items = [ui_message(row) for row in rows]
        count = fitting(items, self._limits.page_bytes)
        if not items:
            return Page([], str(after) if after else None)
        return Page(items[:count], place(rows[count - 1], "created_at"))


async def _find(transaction: Transaction, user_id: str, name: str) -> str:
    row = await transaction.row(SQL["find"], {"user_id": user_id, "conversation": name})
    if row is None:
        raise _unknown()
    return str(row["id"])


def _unknown() -> Problem:
    return Problem(404, "not_found", "There is no such conversation.", "Open another one, or start a new one.")
