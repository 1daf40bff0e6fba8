"""The local Lambda runs functions as Lambda does: one event at a time, in time, and told how each ended."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.devkit import functions
from tests.devkit.database_proxy import Road
from tests.devkit.local_lambda import Function, Spec, Surroundings
from tests.devkit.orders import Orders
from tests.devkit.starters import Forks, Fresh

HANDLER = """
import json, os, sys, time

def handler(event, context):
    match event["do"]:
        case "answer":
            time.sleep(event.get("for", 0))
            return {"pid": os.getpid(), "event": event, "left_ms": context.get_remaining_time_in_millis()}
        case "raise":
            raise ValueError("no such thing")
        case "exit":
            os._exit(7)
        case "hang":
            time.sleep(60)
"""

STREAMING = """
import asyncio
from mangum import Mangum

async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    for piece in (b"one ", b"two "):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    if scope["path"] == "/break":
        raise ValueError("broken")
    await send({"type": "http.response.body", "body": b"three"})

handler = Mangum(app, lifespan="off")
"""

MakeFunction = Callable[..., Function]


@pytest.fixture
async def make_function(tmp_path: Path):
    made: list[Function] = []

    def make(handler: str = HANDLER, *, fresh: bool = False, freezes: bool = True, **spec: Any) -> Function:
        (tmp_path / "handler.py").write_text(handler, encoding="utf-8")
        numbers = {"name": "worker", "timeout_s": 20, "memory_mb": 128, "sandboxes": 2, "role": "worker", **spec}
        described = Spec(**numbers)
        environment = functions.environment(described, tmp_path, {}, {})
        starter = (Fresh if fresh else Forks)(environment, tmp_path / "log")
        around = Surroundings(
            road=Road(9, direct=True), database_url=lambda port, role: "", freezes=freezes, orders=Orders()
        )
        function = Function(described, starter, around)
        made.append(function)
        return function

    yield make
    for function in made:
        await function.close()


async def invoke(function: Function, **event: Any) -> dict[str, Any]:
    outcome = await function.invoke(json.dumps(event).encode())
    assert outcome.error is None, outcome.error
    answer: dict[str, Any] = json.loads(outcome.payload)
    return answer


def each_way(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    return pytest.mark.parametrize("fresh", [False, True], ids=["fork", "fresh"])(test)


@each_way
async def test_a_function_answers_and_its_process_is_used_again(make_function: MakeFunction, fresh: bool) -> None:
    function = make_function(fresh=fresh)
    first = await invoke(function, do="answer", text="né\u2028")
    second = await invoke(function, do="answer")
    assert first["event"] == {"do": "answer", "text": "né\u2028"}
    assert first["pid"] == second["pid"]
    assert 0 < first["left_ms"] <= 20_000
    assert function.starts == 1


async def test_two_events_at_once_get_two_processes_and_a_third_waits(make_function: MakeFunction) -> None:
    function = make_function()
    answers = await asyncio.gather(*(invoke(function, do="answer", **{"for": 0.2}) for _ in range(5)))
    assert len({answer["pid"] for answer in answers}) == 2


async def test_an_exception_is_told_and_the_process_goes_on(make_function: MakeFunction) -> None:
    function = make_function()
    pid = (await invoke(function, do="answer"))["pid"]
    outcome = await function.invoke(b'{"do": "raise"}')
    assert outcome.error is not None
    assert (outcome.error["errorType"], outcome.error["errorMessage"]) == ("ValueError", "no such thing")
    assert (await invoke(function, do="answer"))["pid"] == pid


@each_way
async def test_a_process_that_ends_is_told_and_replaced(make_function: MakeFunction, fresh: bool) -> None:
    function = make_function(fresh=fresh)
    outcome = await function.invoke(b'{"do": "exit"}')
    assert outcome.error is not None
    assert outcome.error["errorType"] == "Runtime.ExitError"
    assert "exit status 7" in outcome.error["errorMessage"]
    assert await invoke(function, do="answer")


async def test_a_function_over_its_time_is_killed(make_function: MakeFunction) -> None:
    function = make_function(timeout_s=1, sandboxes=1)
    outcome = await function.invoke(b'{"do": "hang"}')
    assert outcome.error is not None
    assert outcome.error["errorType"] == "Sandbox.Timedout"
    assert "1.00 seconds" in outcome.error["errorMessage"]
    assert await invoke(function, do="answer")


@each_way
async def test_a_handler_that_cannot_be_loaded_fails_its_event(make_function: MakeFunction, fresh: bool) -> None:
    function = make_function("import nothing_of_this_name\n", fresh=fresh)
    outcome = await function.invoke(b"{}")
    assert outcome.error is not None
    assert outcome.error["errorType"] == "Runtime.ImportModuleError"


@pytest.mark.skipif(
    sys.platform != "linux", reason="whether a process is stopped is read from /proc, which only Linux has"
)
async def test_a_process_is_frozen_while_it_has_no_event(make_function: MakeFunction) -> None:
    function = make_function()
    pid = (await invoke(function, do="answer"))["pid"]
    stat = Path(f"/proc/{pid}/stat")
    async with asyncio.timeout(5):
        while stat.read_text().rpartition(") ")[2][0] != "T":
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("how", ["kill", "freeze"])
async def test_a_lost_process_takes_no_place_in_the_pool(make_function: MakeFunction, how: str) -> None:
    function = make_function(sandboxes=1, timeout_s=3)
    function._around.orders.give("worker", "start", how)  # type: ignore[arg-type]
    lost = asyncio.create_task(function.invoke(b'{"do": "answer"}'))
    await asyncio.sleep(0)  # it is the first to ask
    assert await invoke(function, do="answer")
    outcome = await lost
    assert outcome.error is not None
    assert outcome.error["errorType"] == ("Runtime.ExitError" if how == "kill" else "Sandbox.Timedout")


@each_way
async def test_an_answer_is_streamed_behind_its_prelude(make_function: MakeFunction, fresh: bool) -> None:
    function = make_function(STREAMING, fresh=fresh, streams=True)
    pieces: list[bytes] = []

    async def take(piece: bytes) -> None:
        pieces.append(piece)

    outcome = await function.invoke(json.dumps(request("/")).encode(), take)
    assert outcome.streamed
    assert outcome.error is None
    prelude, _, body = b"".join(pieces).partition(b"\0" * 8)
    assert json.loads(prelude)["statusCode"] == 200
    assert body == b"one two three"
    assert len(pieces) >= 4


async def test_a_stream_that_breaks_off_says_so_in_its_trailers(make_function: MakeFunction) -> None:
    function = make_function(STREAMING, streams=True)
    pieces: list[bytes] = []

    async def take(piece: bytes) -> None:
        pieces.append(piece)

    outcome = await function.invoke(json.dumps(request("/break")).encode(), take)
    assert outcome.streamed
    assert outcome.error is not None
    assert b"".join(pieces).endswith(b"one two ")


def request(path: str) -> dict[str, Any]:
    from tests.devkit import events

    headers = [("Host", "here")]
    to = events.route("GET", path)
    return events.event("GET", path, "", headers, b"", to=to, stage="", source_ip="127.0.0.1", host="here:80")
