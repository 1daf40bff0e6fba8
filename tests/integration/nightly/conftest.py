"""The nightly pass over a real Postgres and the fake Mainline with its batches, and people with time zones."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.types.json import Jsonb

from lanekeeper.limits import Limits
from lanekeeper.mainline.batches import Batches
from lanekeeper.mainline.client import Mainline
from lanekeeper.maintenance.coverage import Coverage
from lanekeeper.maintenance.in_force import OperatorSettings
from lanekeeper.maintenance.meter import BackgroundMeter
from lanekeeper.maintenance.nightly import Nightly
from lanekeeper.maintenance.note_batches import NoteBatches
from lanekeeper.maintenance.sweeps import Sweeps
from lanekeeper.memory.writer import NoteWriter
from lanekeeper.postgres import Database
from lanekeeper.settings import Secret
from lanekeeper.timers import BATCH, NIGHTLY, Timer
from tests.conftest import ConnectAs
from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline as FakeMainline

KEY = "test-key"
YESTERDAY = "lanekeeper.now() - interval '1 day'"


@dataclass
class Town:
    """People who write, and the pass over them. The clock of SQL is set by ``at``."""

    superuser: psycopg.AsyncConnection[dict[str, Any]]
    http: httpx.AsyncClient
    fake: FakeMainline
    new_nightly: Callable[..., Nightly]
    _places: dict[str, int] = field(default_factory=dict)

    async def at(self, moment: str) -> None:
        """Let it be this moment, in UTC, for SQL."""
        datetime.fromisoformat(moment)
        await self.superuser.execute(
            f"create or replace function lanekeeper.now() returns timestamptz language sql stable parallel safe "
            f"as $$ select timestamptz '{moment}Z' $$"
        )

    async def person(self, user_id: str, timezone: str = "UTC") -> None:
        await self.superuser.execute(
            "insert into users (id, timezone) values (%s, %s)",
            [user_id, timezone],
        )
        await self.superuser.execute("insert into lanes (user_id) values (%s) on conflict do nothing", [user_id])

    async def says(self, user_id: str, text: str, at: str = "2030-05-01T12:00", *, talk: str = "") -> str:
        """A message of a person's at a moment in UTC; its id."""
        await self.superuser.execute("insert into users (id) values (%s) on conflict do nothing", [user_id])
        await self.superuser.execute("insert into lanes (user_id) values (%s) on conflict do nothing", [user_id])
        talk = talk or f"conv_{user_id}"
        await self.superuser.execute(
            "insert into conversations (id, user_id, agent_id) values (%s, %s, 'assistant') on conflict do nothing",
            [talk, user_id],
        )
        place = self._places[talk] = self._places.get(talk, 0) + 1
        message_id = f"msg_{talk}_{place}"
        await self.superuser.execute(
            "insert into messages (user_id, id, conversation_id, role, parts, position, created_at) "
            "values (%s, %s, %s, 'user', %s, %s, %s)",
            [user_id, message_id, talk, Jsonb([{"type": "text", "text": text}]), place, f"{at}Z"],
        )
        await self.superuser.execute("update conversations set updated_at = %s where id = %s", [f"{at}Z", talk])
        return message_id

    async def answers(self, user_id: str, *answers: Any) -> None:
        """What the writer's next calls about a person bring: lists of notes, or whole replies."""
        replies = [{"text": json.dumps({"notes": one})} if isinstance(one, list) else one for one in answers]
        scripted = {"sub": user_id, "feature": "notes", "replies": replies}
        response = await self.http.post("/control/model", json=scripted)
        assert response.status_code == 200, response.text

    async def batches_take(self, seconds: float) -> None:
        response = await self.http.post("/control/batches", json={"delay_s": seconds})
        assert response.status_code == 200, response.text

    async def time_passes_at_the_gateway(self, seconds: float) -> None:
        response = await self.http.post("/control/clock", json={"advance_s": seconds})
        assert response.status_code == 200, response.text

    async def requests(self, user_id: str) -> list[dict[str, Any]]:
        asked = {"sub": user_id, "feature": "notes"}
        return list((await self.http.get("/control/requests", params=asked)).json())

    async def rows(self, statement: str, *parameters: Any) -> list[dict[str, Any]]:
        return await (await self.superuser.execute(statement, parameters)).fetchall()  # type: ignore[arg-type]

    async def notes(self, user_id: str) -> list[str]:
        rows = await self.rows(
            "select body from notes where user_id = %s and replaced_by is null order by body", user_id
        )
        return [row["body"] for row in rows]

    async def nights(self) -> dict[str, tuple[int, int, int]]:
        """Covered, skipped, failed by night."""
        rows = await self.rows("select * from nightly_runs order by night")
        return {str(row["night"]): (row["covered"], row["skipped"], row["failed"]) for row in rows}

    async def states(self) -> dict[tuple[str, str], str]:
        rows = await self.rows("select night, user_id, state from nightly_people")
        return {(str(row["night"]), row["user_id"]): row["state"] for row in rows}

    async def gateway_batches(self) -> list[dict[str, Any]]:
        answer = await self.http.get("/v1/batches", headers={"authorization": f"Bearer {KEY}"})
        return list(answer.json()["data"])

    async def look(self, batch: str = "", **changed: Any) -> None:
        """What the tick does when the timer of a batch is due; of the only one where none is named."""
        if not batch:
            [row] = await self.rows("select key from timers where kind = %s", BATCH)
            batch = row["key"]
        await self.new_nightly(**changed).look(Timer(BATCH, batch, None, None, 0, 1))


def nightly_timer() -> Timer:
    return Timer(NIGHTLY, NIGHTLY, None, None, 0, 0)


def note(body: str, source: str, subject: str = "coffee") -> dict[str, str]:
    """A note as a model writes it."""
    return {"kind": "fact", "subject": subject, "body": body, "source": "stated", "source_message_id": source}


@pytest.fixture
async def town(connect_as: ConnectAs, database_as: Callable[[str], Database]) -> AsyncIterator[Town]:
    """A town without people, whose gateway's batches are done at once. ``new_nightly`` gives another invocation."""
    fake = FakeMainline(KEY, KEY, DemoModel(zero_delay=True), lambda seconds: None)
    listener = Listener(fake, 0)
    await listener.open()
    url = f"http://127.0.0.1:{listener.port}"
    clients: list[Mainline | Batches] = []

    def new_nightly(seconds_left: Callable[[], float] = lambda: 300.0, **changed: Any) -> Nightly:
        limits = Limits(**{"provider_timeout_s": 2, "batch_call_s": 5, **changed})
        database = database_as("maintenance")
        mainline, batches = Mainline(f"{url}/v1", Secret(KEY), limits), Batches(f"{url}/v1", Secret(KEY), limits)
        clients.extend((mainline, batches))
        settings = OperatorSettings(database, limits)
        writer = NoteWriter(database, mainline, lambda user_id: BackgroundMeter(database, user_id, settings), limits)
        coverage = Coverage(database, limits)
        return Nightly(
            database,
            writer=writer,
            coverage=coverage,
            batches=NoteBatches(database, batches, writer, coverage, limits),
            sweeps=Sweeps(database, limits),
            limits=limits,
            seconds_left=seconds_left,
        )

    async with httpx.AsyncClient(base_url=url) as http:
        built = Town(await connect_as(), http, fake, new_nightly)
        await built.batches_take(0)
        await built.at("2030-05-02T01:00")
        yield built
    for client in clients:
        await client.close()
    listener.close()
