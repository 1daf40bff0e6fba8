"""A talk of Ana's, and the maintenance function's compacting over the same database and the same fake gateway."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.limits import Limits
from lanekeeper.mainline.client import Mainline
from lanekeeper.maintenance.compacting import Compacting
from lanekeeper.maintenance.in_force import OperatorSettings
from lanekeeper.postgres import Database
from lanekeeper.settings import Secret
from lanekeeper.tools import Agent, Toolset
from lanekeeper.types import Prompt
from tests.integration.turn.conftest import KEY, LIMITS, LOOK, Talk, mainline_url, talk

__all__ = ["mainline_url", "talk"]

SMALL = replace(LIMITS, compaction_kept_turns=1, compaction_kept_tokens=500, compaction_least_tokens=20)


@dataclass
class Writer:
    """Stands where the note writer does: tells who was read."""

    read: list[tuple[str, str]] = field(default_factory=list)
    error: Exception | None = None

    async def write(self, user_id: str, conversation_id: str) -> None:
        self.read.append((user_id, conversation_id))
        if self.error:
            raise self.error


@dataclass
class Night:
    """Compacting, and what a test wants to know of what it did."""

    talk: Talk
    notes: Writer
    woken: list[int]
    new_compacting: Callable[..., Compacting]
    database: Database
    conversation_id: str = "conv_ana"

    async def run(self, compacting: Compacting | None = None, **changed: Any) -> Any:
        return await (compacting or self.new_compacting(**changed)).run(self.talk.user_id, self.conversation_id)

    async def script(self, *replies: dict[str, Any]) -> None:
        queued = {"sub": self.talk.user_id, "feature": "summary", "replies": list(replies)}
        response = await self.talk.http.post("/control/model", json=queued)
        assert response.status_code == 200, response.text

    async def chat(self, *said: str, reply: str = "All right.") -> None:
        """Whole turns, one after the other."""
        for text in said:
            await self.talk.script({"text": reply})
            await self.talk.say(text)
            assert await self.talk.run() == 1

    async def thread(self) -> list[dict[str, Any]]:
        return await self.talk.rows(
            "select position, message_id, turn_id, message from thread_messages where conversation_id = %s "
            "order by position",
            self.conversation_id,
        )

    async def said(self) -> list[str]:
        return [row["message"]["content"] for row in await self.thread()]

    async def summary(self) -> dict[str, Any] | None:
        rows = await self.talk.rows("select * from summaries where conversation_id = %s", self.conversation_id)
        return rows[0] if rows else None

    async def hits(self) -> list[str]:
        return [row["kind"] for row in await self.talk.rows("select kind from limit_hits order by id")]

    async def wait(self, text: str) -> dict[str, str]:
        """A message that waits for the summary."""
        ids = await self.talk.say(text)
        await self.talk.rows("update inbox set state = 'waiting' where message_id = %s returning id", ids["message_id"])
        await self.talk.rows("update lanes set ready_at = null where user_id = %s returning user_id", ids["user_id"])
        return ids

    async def add(self, *messages: dict[str, Any], turn_id: str | None = None) -> None:
        """Messages at the thread's end, as rows."""
        rows = await self.thread()
        begin = rows[-1]["position"] + 1 if rows else 1
        for number, message in enumerate(messages):
            await self.talk.superuser.execute(
                "insert into thread_messages (conversation_id, position, user_id, message_id, turn_id, message) "
                "values (%s, %s, %s, %s, %s, %s)",
                [self.conversation_id, begin + number, self.talk.user_id, message["id"], turn_id, Jsonb(message)],
            )


@pytest.fixture
async def night(talk: Talk, url_as: Callable[[str], str], database_as: Any) -> AsyncIterator[Night]:
    """Compacting at Ana's conversations. ``new_compacting`` gives a second one, with a connection of its own."""
    databases: list[Database] = []
    clients: list[Mainline] = []
    notes, woken = Writer(), list[int]()

    async def wake() -> bool:
        woken.append(1)
        return True

    def new_compacting(*, agent: dict[str, Any] | None = None, **changed: Any) -> Compacting:
        limits: Limits = replace(SMALL, **changed)
        databases.append(Database(lambda: {"conninfo": url_as("maintenance")}, "test-maintenance"))
        clients.append(Mainline(f"{talk.mainline_url}/v1", Secret(KEY), limits))
        prompt = Prompt("You help.", "v1", "hash")
        fields: dict[str, Any] = {"id": "assistant", "name": "Assistant", "prompt": prompt, **(agent or {})}
        return Compacting(
            database=databases[-1],
            mainline=clients[-1],
            settings=OperatorSettings(databases[-1], limits),
            agents={"assistant": Agent(tools=Toolset([LOOK], limits), **fields)},
            notes=notes,
            wake=wake,
            limits=limits,
        )

    yield Night(talk, notes, woken, new_compacting, database_as("maintenance"))
    for client in clients:
        await client.close()
    for database in databases:
        await database.close()
