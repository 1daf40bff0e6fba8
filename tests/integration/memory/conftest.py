"""A note writer over a real Postgres and the fake Mainline, and a person whose transcript it reads."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.types.json import Jsonb

from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline.client import Mainline
from lanekeeper.memory.writer import NoteWriter
from lanekeeper.postgres import Database
from lanekeeper.settings import Secret
from tests.conftest import ConnectAs
from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline as FakeMainline

KEY = "test-key"


class Books:
    """Counts calls, as a person's books do."""

    def __init__(self) -> None:
        self.opened_calls: list[Call] = []
        self.settled_calls: list[tuple[Call, bool]] = []

    async def opened(self, call: Call) -> None:
        self.opened_calls.append(call)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        self.settled_calls.append((call, failed))


@dataclass
class Transcript:
    """What one person has written and been told in a conversation, and the writer that reads it."""

    superuser: psycopg.AsyncConnection[dict[str, Any]]
    http: httpx.AsyncClient
    writer: NoteWriter
    new_writer: Callable[..., NoteWriter]
    books: Books
    user_id: str = "ana"
    conversation_id: str = "conv_ana"
    _places: dict[str, int] = field(default_factory=dict)

    async def person(self, user_id: str, conversation_id: str | None = None) -> None:
        conversation_id = conversation_id or f"conv_{user_id}"
        for statement in (
            "insert into users (id) values (%(user)s) on conflict do nothing",
            "insert into lanes (user_id) values (%(user)s) on conflict do nothing",
            "insert into conversations (id, user_id, agent_id) values (%(talk)s, %(user)s, 'a') on conflict do nothing",
        ):
            await self.superuser.execute(statement, {"user": user_id, "talk": conversation_id})

    async def say(
        self, message_id: str, text: str, *, role: str = "user", user_id: str = "ana", talk: str = "", **columns: Any
    ) -> str:
        """One message at the end of a conversation."""
        talk = talk or f"conv_{user_id}"
        await self.person(user_id, talk)
        self._places[talk] = self._places.get(talk, 0) + 1
        parts = columns.pop("parts", [{"type": "text", "text": text}])
        row = {"turn_id": None, "forgotten": False} | columns
        await self.superuser.execute(
            "insert into messages (user_id, id, conversation_id, turn_id, role, parts, position, forgotten) values "
            "(%(user_id)s, %(id)s, %(talk)s, %(turn_id)s, %(role)s, %(parts)s, %(position)s, %(forgotten)s)",
            row
            | {"user_id": user_id, "id": message_id, "talk": talk, "role": role, "parts": Jsonb(parts)}
            | {"position": self._places[talk]},
        )
        return message_id

    async def script(self, *answers: Any, user_id: str = "ana") -> None:
        """What the next calls of the writer are answered with: lists of notes, or whole replies."""
        replies = [answered(*answer) if isinstance(answer, list) else answer for answer in answers]
        scripted = {"sub": user_id, "feature": "notes", "replies": replies}
        response = await self.http.post("/control/model", json=scripted)
        assert response.status_code == 200, response.text

    async def requests(self, user_id: str = "ana") -> list[dict[str, Any]]:
        asked = {"sub": user_id, "feature": "notes"}
        return list((await self.http.get("/control/requests", params=asked)).json())

    async def rows(self, statement: str, *parameters: Any) -> list[dict[str, Any]]:
        return await (await self.superuser.execute(statement, parameters)).fetchall()  # type: ignore[arg-type]

    async def standing(self, user_id: str = "ana") -> list[tuple[str, str]]:
        rows = await self.rows(
            "select subject, body from notes where user_id = %s and replaced_by is null order by saved_at, id", user_id
        )
        return [(row["subject"], row["body"]) for row in rows]

    async def position(self, talk: str = "conv_ana") -> int | None:
        rows = await self.rows("select position from note_progress where conversation_id = %s", talk)
        return rows[0]["position"] if rows else None


def note(body: str, key: str, subject: str = "", *, kind: str = "fact", source: str = "stated") -> dict[str, str]:
    """A note as a model writes it."""
    return {
        "kind": kind,
        "subject": subject or body.rsplit(maxsplit=1)[-1],
        "body": body,
        "source": source,
        "source_message_id": key,
    }


def answered(*notes: Any, **beside: Any) -> dict[str, Any]:
    """A reply of the writer's model with these notes."""
    return {"text": json.dumps({"notes": notes}), **beside}


@pytest.fixture
async def mainline_url() -> AsyncIterator[str]:
    """The fake gateway, in this process."""
    fake = FakeMainline(KEY, KEY, DemoModel(zero_delay=True), lambda seconds: None)
    listener = Listener(fake, 0)
    await listener.open()
    yield f"http://127.0.0.1:{listener.port}"
    listener.close()


@pytest.fixture
async def talk(
    connect_as: ConnectAs, database_as: Callable[[str], Database], mainline_url: str
) -> AsyncIterator[Transcript]:
    """Ana's transcript, empty. ``new_writer`` gives another writer, with a connection of its own."""
    books = Books()
    clients: list[Mainline] = []

    def new_writer(base_url: str = f"{mainline_url}/v1", **changed: Any) -> NoteWriter:
        limits = Limits(**{"provider_timeout_s": 1, **changed})
        clients.append(Mainline(base_url, Secret(KEY), limits))
        return NoteWriter(database_as("maintenance"), clients[-1], lambda user_id: books, limits)

    async with httpx.AsyncClient(base_url=mainline_url) as http:
        transcript = Transcript(await connect_as(), http, new_writer(), new_writer, books)
        await transcript.person("ana")
        yield transcript
    for client in clients:
        await client.close()
