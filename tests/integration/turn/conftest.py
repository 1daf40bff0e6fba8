"""A worker's engine over a real Postgres and the fake Mainline, in this process."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import psycopg
import pytest

from lanekeeper.limits import Limits
from lanekeeper.mainline.client import Mainline
from lanekeeper.maintenance.tick import Tick
from lanekeeper.postgres import Database
from lanekeeper.settings import Secret
from lanekeeper.tools import Agent, Source, Tool, ToolContext, ToolFailure, ToolInput, ToolOutput, Toolset
from lanekeeper.turn.engine import Engine
from lanekeeper.types import Prompt, new_id
from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline as FakeMainline
from tests.integration.people import write

KEY = "test-key"
LIMITS = Limits(
    watch_s=0.05, provider_timeout_s=1, drain_reserve_s=1, tool_timeout_s=0.5, tool_backoff_s=0.01, recall_wait_s=10
)


class LookInput(ToolInput):
    """What to look up."""

    query: str


class LookOutput(ToolOutput):
    """What was found."""

    answer: str


async def look(context: ToolContext, given: LookInput) -> LookOutput:
    if given.query == "slow":
        await asyncio.sleep(30)
    if given.query == "fail":
        raise ToolFailure("Nothing is known of that.", "Ask for something else.")
    return LookOutput(answer=f"about {given.query}")


LOOK = Tool(
    name="test_look",
    description="Looks things up.",
    input=LookInput,
    output=LookOutput,
    run=look,
    sources=lambda output: [Source("https://example.org/a", output.answer)],
)


@dataclass
class Talk:
    """One person's side of a conversation, and what a test wants to know of it."""

    superuser: psycopg.AsyncConnection[dict[str, Any]]
    engine: Engine
    mainline_url: str
    http: httpx.AsyncClient
    new_engine: Callable[..., Engine]
    tick: Tick
    user_id: str = "ana"
    sent: list[dict[str, str]] = field(default_factory=list)

    async def say(self, text: str, **options: Any) -> dict[str, str]:
        self.sent.append(await write(self.superuser, options.pop("user_id", self.user_id), text, **options))
        return self.sent[-1]

    async def script(self, *replies: dict[str, Any]) -> None:
        response = await self.http.post("/control/model", json={"sub": self.user_id, "replies": list(replies)})
        assert response.status_code == 200, response.text

    async def run(self, engine: Engine | None = None) -> int:
        return await (engine or self.engine).drain(lambda: 60.0)

    async def requests(self, feature: str = "chat") -> list[dict[str, Any]]:
        asked = {"sub": self.user_id, "feature": feature}
        return list((await self.http.get("/control/requests", params=asked)).json())

    async def judge(self, *, times: int = 1, **verdict: Any) -> None:
        """Script what the next calls for decisions answer: the answers, ``delay_s``, ``error``."""
        beside = {name: verdict.pop(name) for name in ("delay_s", "error") if name in verdict}
        for _ in range(times):
            scripted = {"sub": self.user_id, "answers": verdict, **beside}
            response = await self.http.post("/control/decisions", json=scripted)
            assert response.status_code == 200, response.text

    async def rows(self, statement: str, *parameters: Any) -> list[dict[str, Any]]:
        return await (await self.superuser.execute(statement, parameters)).fetchall()  # type: ignore[arg-type]

    async def history(self) -> list[tuple[str, str]]:
        rows = await self.rows("select role, parts from messages order by position nulls last, created_at")
        return [(row["role"], text_of(row["parts"])) for row in rows]

    async def chunks(self, turn_id: str) -> list[dict[str, Any]]:
        rows = await self.rows("select seq, chunk from reply_chunks where turn_id = %s order by seq", turn_id)
        assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
        return [row["chunk"] for row in rows]

    async def turn(self, turn_id: str) -> dict[str, Any]:
        return (await self.rows("select * from turns where id = %s", turn_id))[0]

    async def lapse(self) -> None:
        await self.superuser.execute("update lanes set lease_until = lanekeeper.now() - interval '1 second'")

    async def until(self, condition: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(10):
            while not await condition():
                await asyncio.sleep(0.01)


def text_of(parts: list[dict[str, Any]]) -> str:
    return " | ".join(part["text"] for part in parts if part["type"] == "text")


def kinds(chunks: list[dict[str, Any]]) -> list[str]:
    return [chunk["type"] for chunk in chunks if not chunk["type"].endswith("-delta")]


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
    url_as: Callable[[str], str], connect_as: Any, database_as: Any, mainline_url: str
) -> AsyncIterator[Talk]:
    """A talk of Ana's. ``new_engine`` gives a second worker."""
    databases: list[Database] = []
    clients: list[Mainline] = []
    prompt = Prompt("You help.", "v1", "hash")

    def new_engine(
        *, tools: Sequence[Tool[Any, Any]] = (LOOK,), agent: Mapping[str, Any] | None = None, **changed: Any
    ) -> Engine:
        holder = new_id("worker")
        opened = [Database(lambda: {"conninfo": url_as("worker")}, holder) for _ in range(4)]
        databases.extend(opened)
        limits = replace(LIMITS, **changed)
        clients.append(Mainline(f"{mainline_url}/v1", Secret(KEY), limits))
        fields: dict[str, Any] = {"id": "assistant", "name": "Assistant", "prompt": prompt, **(agent or {})}
        return Engine(
            work=opened[0],
            lock=opened[1],
            reply=opened[2],
            recall=opened[3],
            agents={"assistant": Agent(tools=Toolset(tools, limits), **fields)},
            mainline=clients[-1],
            limits=limits,
            holder=holder,
        )

    async def wake() -> bool:
        return True

    async with httpx.AsyncClient(base_url=mainline_url) as http:
        yield Talk(
            superuser=await connect_as(),
            engine=new_engine(),
            mainline_url=mainline_url,
            http=http,
            new_engine=new_engine,
            tick=Tick(database_as("maintenance"), wake, LIMITS),
        )
    for client in clients:
        await client.close()
    for database in databases:
        await database.close()
