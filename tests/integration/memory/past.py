"""What people said before, and what was noted of it, for tests that begin after it."""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from lanekeeper.limits import Limits
from lanekeeper.memory.rules import Note
from lanekeeper.memory.store import Saved, save
from lanekeeper.postgres import Database


@dataclass
class Past:
    """Rows as turns leave them. A conversation is called as its person is, where a test does not name another.

    Args:
        owner: a superuser's connection.
        worker: the worker's own database, through which notes are saved.
    """

    owner: psycopg.AsyncConnection[dict[str, Any]]
    worker: Database

    async def conversation(self, conversation: str, person: str = "ana") -> None:
        await self.owner.execute("insert into users (id) values (%s) on conflict do nothing", [person])
        await self.owner.execute("insert into lanes (user_id) values (%s) on conflict do nothing", [person])
        await self.owner.execute(
            "insert into conversations (id, user_id, agent_id) values (%s, %s, 'a') on conflict do nothing",
            [conversation, person],
        )

    async def say(
        self,
        message_id: str,
        text: str,
        *,
        person: str = "ana",
        conversation: str | None = None,
        role: str = "user",
        later: bool = False,
    ) -> None:
        """A message of the transcript; ``later`` than whatever happens in the test."""
        await self.conversation(conversation or person, person)
        await self.owner.execute(
            "insert into messages (user_id, id, conversation_id, role, parts, created_at) "
            "values (%s, %s, %s, %s, %s, lanekeeper.now() + make_interval(hours => %s))",
            [person, message_id, conversation or person, role, Jsonb([{"type": "text", "text": text}]), int(later)],
        )

    async def note(self, message_id: str, subject: str, body: str, *, person: str = "ana") -> str:
        """A note from a message, saved as the product saves it; its id."""
        note = Note(kind="fact", subject=subject, body=body, source="stated", source_message_id=message_id)
        saved = await self.keep(note, person=person)
        assert saved.id is not None, saved
        return saved.id

    async def keep(self, note: Note, *, person: str = "ana", asked: bool = False) -> Saved:
        """Save a note; what became of it."""
        [said] = await self.rows(
            "select parts -> 0 ->> 'text' as text from messages where user_id = %s and id = %s",
            person,
            note.source_message_id,
        )
        async with self.worker.transaction(user_id=person) as transaction:
            return await save(transaction, person, note, said["text"], Limits(), health_asked=asked)

    async def add(self, row: dict[str, Any], *, person: str = "ana", conversation: str | None = None) -> None:
        """A message of a thread, as a model is sent it."""
        await self.conversation(conversation or person, person)
        await self.owner.execute(
            "insert into thread_messages (conversation_id, position, user_id, message_id, message) "
            "select %(thread)s, coalesce(max(position), 0) + 1, %(person)s, %(id)s, %(row)s from thread_messages "
            "where conversation_id = %(thread)s",
            {"thread": conversation or person, "person": person, "id": row["id"], "row": Jsonb(row)},
        )

    async def thread(self, conversation: str) -> list[dict[str, Any]]:
        return await self.column(
            "select message from thread_messages where conversation_id = %s order by position", conversation
        )

    async def rows(self, statement: str, *parameters: Any) -> list[dict[str, Any]]:
        return await (await self.owner.execute(statement, parameters)).fetchall()  # type: ignore[arg-type]

    async def column(self, statement: str, *parameters: Any) -> list[Any]:
        return [next(iter(row.values())) for row in await self.rows(statement, *parameters)]
