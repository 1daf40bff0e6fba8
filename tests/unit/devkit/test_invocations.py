"""Asynchronous invokes are rows: none is lost with the dev kit, and each comes at least once."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import httpx
import psycopg
import pytest

from tests.devkit import wire
from tests.devkit.invocations import Invocations
from tests.devkit.local_lambda import Function
from tests.devkit.runtime_api import Outcome, Sink

SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=local"}
EVENT = {**SIGNED, "X-Amz-Invocation-Type": "Event"}


class Scripted:
    """A function that notes its events and ends when it may."""

    def __init__(self) -> None:
        self.payloads: list[Any] = []
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.outcome = Outcome(b'{"done": true}')

    async def invoke(self, payload: bytes, sink: Sink | None = None) -> Outcome:
        self.payloads.append(json.loads(payload))
        await self.may_end.wait()
        return self.outcome

    async def seen(self, count: int) -> list[Any]:
        async with asyncio.timeout(10):
            while len(self.payloads) < count:
                await asyncio.sleep(0.01)
        return self.payloads


@pytest.fixture
def function() -> Scripted:
    return Scripted()


@pytest.fixture
async def start(database_url: str, function: Scripted) -> AsyncIterator[Callable[[], Any]]:
    started: list[Invocations] = []

    async def begin() -> Invocations:
        invocations = Invocations(database_url, {"worker": cast("Function", function)})
        started.append(invocations)
        await invocations.start()
        return invocations

    yield begin
    for invocations in started:
        await invocations.close()


@pytest.fixture
async def client(start: Callable[[], Any]) -> AsyncIterator[httpx.AsyncClient]:
    server = wire.Server((await start()).handle)
    address = f"http://127.0.0.1:{await server.open()}/2015-03-31/functions/"
    async with httpx.AsyncClient(base_url=address, trust_env=False) as opened:
        yield opened
    await server.close()


async def test_an_event_is_a_row_before_the_caller_is_told(
    client: httpx.AsyncClient, function: Scripted, database_url: str
) -> None:
    function.may_end.clear()
    answer = await client.post("worker/invocations", json={"turnId": "turn_1"}, headers=EVENT)
    assert answer.status_code == 202
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("select function_name, payload, ended_at from local_lambda.invocations").fetchall()
    assert rows == [("worker", {"turnId": "turn_1"}, None)]
    assert await function.seen(1) == [{"turnId": "turn_1"}]


async def test_a_function_is_found_by_its_arn(client: httpx.AsyncClient, function: Scripted) -> None:
    arn = "arn%3Aaws%3Alambda%3Aeu-central-1%3A000000000000%3Afunction%3Aworker"
    assert (await client.post(f"{arn}/invocations", json={}, headers=EVENT)).status_code == 202
    await function.seen(1)


async def test_a_caller_may_wait_for_the_answer(client: httpx.AsyncClient, function: Scripted) -> None:
    answer = await client.post("worker/invocations", json={}, headers=SIGNED)
    assert answer.json() == {"done": True}
    function.outcome = Outcome(error={"errorType": "ValueError"})
    failed = await client.post("worker/invocations", json={}, headers=SIGNED)
    assert failed.headers["X-Amz-Function-Error"] == "Unhandled"


@pytest.mark.parametrize(
    ("path", "headers", "body", "status"),
    [
        ("worker/invocations", {"X-Amz-Invocation-Type": "Event"}, b"{}", 403),
        ("nobody/invocations", EVENT, b"{}", 404),
        ("worker/elsewhere/more", EVENT, b"{}", 404),
        ("worker/invocations", EVENT, b"{", 400),
        ("worker/invocations", {**SIGNED, "X-Amz-Invocation-Type": "Later"}, b"{}", 400),
        ("worker/invocations", EVENT, b'"' + b"a" * 2**20 + b'"', 413),
        ("worker/invocations", {**SIGNED, "X-Amz-Invocation-Type": "DryRun"}, b"{}", 204),
    ],
)
async def test_what_lambda_would_refuse_starts_nothing(
    client: httpx.AsyncClient, function: Scripted, *, path: str, headers: dict[str, str], body: bytes, status: int
) -> None:
    assert (await client.post(path, content=body, headers=headers)).status_code == status
    assert function.payloads == []


async def test_an_invoke_in_sql_starts_the_function_once_it_is_committed(
    start: Callable[[], Any], function: Scripted, database_url: str
) -> None:
    await start()
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        await connection.execute("select aws_lambda.invoke('worker', '{\"n\": 1}'::json, null, 'Event')")
        assert function.payloads == []
        await connection.commit()
        assert await function.seen(1) == [{"n": 1}]


async def test_what_had_not_ended_comes_again_after_a_restart(start: Callable[[], Any], function: Scripted) -> None:
    function.may_end.clear()
    first = await start()
    await first.enqueue("worker", b'{"n": 1}')
    await function.seen(1)
    await first.close()
    function.may_end.set()
    second = await start()
    assert await function.seen(2) == [{"n": 1}] * 2
    await second.quiet()
    await second.close()
    await (await start()).quiet()
    assert len(function.payloads) == 2


async def test_a_failed_event_does_not_come_again(
    start: Callable[[], Any], function: Scripted, database_url: str
) -> None:
    function.outcome = Outcome(error={"errorType": "Sandbox.Timedout"})
    invocations = await start()
    await invocations.enqueue("worker", b"{}")
    await invocations.quiet()
    await invocations.take()
    assert len(function.payloads) == 1
    with psycopg.connect(database_url) as connection:
        assert connection.execute("select failure from local_lambda.invocations").fetchall() == [("Sandbox.Timedout",)]


async def test_an_event_comes_again_when_a_test_wants_it(start: Callable[[], Any], function: Scripted) -> None:
    invocations = await start()
    invocations.repeat_next("worker", [0, 0])
    await invocations.enqueue("worker", b'{"n": 1}')
    await invocations.enqueue("worker", b'{"n": 2}')
    await invocations.quiet()
    numbers = sorted(payload["n"] for payload in await function.seen(4))
    assert numbers == [1, 1, 1, 2]


async def test_quiet_waits_for_repeats_too(start: Callable[[], Any], function: Scripted) -> None:
    invocations = await start()
    invocations.repeat_next("worker", [0.05])
    await invocations.enqueue("worker", b"{}")
    await invocations.quiet()
    assert len(function.payloads) == 2
