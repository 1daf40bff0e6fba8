"""The streaming loop against a Runtime API of its own: real sockets, real chunks, real API Gateway events."""

import asyncio
import base64
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mangum import Mangum

from lanekeeper.stream_runtime.loop import serve
from lanekeeper.stream_runtime.prelude import prelude
from lanekeeper.stream_runtime.runtime_api import RuntimeApiError
from tests.unit.local_runtime_api import EVENT, LocalRuntimeApi, Reply

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def api() -> AsyncIterator[LocalRuntimeApi]:
    async with LocalRuntimeApi() as server:
        yield server


@pytest.fixture
async def start(api: LocalRuntimeApi, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., dict[str, str]]]:
    loops = []

    def start(app: Any) -> dict[str, str]:
        module = ModuleType("streamed_handler")
        module.handler = Mangum(app, lifespan="off")  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "streamed_handler", module)
        environment = {"AWS_LAMBDA_RUNTIME_API": api.address, "_HANDLER": "streamed_handler.handler"}
        loops.append(asyncio.create_task(serve(environment)))
        return environment

    yield start
    for loop in loops:
        loop.cancel()
    await asyncio.gather(*loops, return_exceptions=True)


async def ended(reply: Reply) -> Reply:
    await asyncio.wait_for(reply.ended.wait(), 30)
    return reply


def answering(*pieces: bytes, status: int = 200, headers: list[tuple[bytes, bytes]] | None = None) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": headers or []})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})

    return app


async def test_b037_the_first_event_leaves_before_the_last_is_made(api: LocalRuntimeApi, start: Any) -> None:
    seen = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": b"id: 1\n\n", "more_body": True})
        await seen.wait()
        await send({"type": "http.response.body", "body": b"id: 2\n\n"})

    reply = api.invoke("r1")
    start(app)
    while b"id: 1" not in b"".join(reply.pieces):
        await asyncio.wait_for(reply.arrived.wait(), 10)
        reply.arrived.clear()
    assert not reply.ended.is_set()
    seen.set()

    await ended(reply)
    assert reply.start == {"statusCode": 200, "headers": {"content-type": "text/event-stream"}}
    assert reply.pieces[1:] == [b"id: 1\n\n", b"id: 2\n\n"]
    assert reply.headers["lambda-runtime-function-response-mode"] == "streaming"
    assert reply.headers["content-type"] == "application/vnd.awslambda.http-integration-response"
    assert reply.trailers == {}


async def test_the_app_sees_the_request_its_deadline_and_the_trace(api: LocalRuntimeApi, start: Any) -> None:
    scopes = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scopes.append((scope, await receive(), asyncio.get_running_loop().time()))
        await answering()(scope, receive, send)

    reply = api.invoke(
        "r1", {**EVENT, "body": base64.b64encode(b"hello").decode(), "isBase64Encoded": True}, limit_s=60
    )
    environment = start(app)
    await ended(reply)

    scope, request, moment = scopes[0]
    assert (scope["path"], scope["query_string"]) == ("/chat/conv_1/stream", b"turn=turn_1")
    assert [b"last-event-id", b"7"] in scope["headers"]
    assert request == {"type": "http.request", "body": b"hello", "more_body": False}
    assert 50 < scope["state"]["deadline"] - moment <= 60
    assert 0 < scope["aws.context"].get_remaining_time_in_millis() <= 60_000
    assert scope["aws.context"].aws_request_id == "r1"
    assert environment["_X_AMZN_TRACE_ID"] == "Root=r1"


async def test_one_process_answers_one_event_after_another(api: LocalRuntimeApi, start: Any) -> None:
    replies = [api.invoke(f"r{n}") for n in range(3)]
    start(answering(b"a", b"", b"b"))
    for reply in replies:
        assert (await ended(reply)).body == b"ab"


async def test_an_error_after_the_first_byte_goes_into_the_trailers_without_its_text(
    api: LocalRuntimeApi, start: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise ValueError("what the person said")

    reply, after = api.invoke("r1"), api.invoke("r2")
    start(app)
    await ended(reply)

    error = json.loads(base64.b64decode(reply.trailers["lambda-runtime-function-error-body"]))
    assert reply.trailers["lambda-runtime-function-error-type"] == "Runtime.ValueError"
    assert error["errorType"] == "ValueError"
    assert "what the person said" not in json.dumps({k: v for k, v in error.items() if k != "stackTrace"})
    await ended(after)
    assert "what the person said" not in caplog.messages


async def test_an_error_before_the_first_byte_is_reported_as_one(api: LocalRuntimeApi, start: Any) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError("secret")

    reply, no_request = api.invoke("r1"), api.invoke("r2", {"not": "a request"})
    start(app)
    await ended(reply)
    assert reply.path.endswith("/invocation/r1/error")
    assert json.loads(reply.pieces[0])["errorType"] == "ValueError"
    assert "secret" not in json.loads(reply.pieces[0])["errorMessage"]
    assert json.loads((await ended(no_request)).pieces[0])["errorType"] == "RuntimeError"


async def test_an_answer_that_was_complete_stays_complete_when_the_app_raises_afterwards(
    api: LocalRuntimeApi, start: Any
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await answering(b"sorry", status=500)(scope, receive, send)
        raise ValueError

    reply = api.invoke("r1")
    start(app)
    await ended(reply)
    assert (reply.start["statusCode"], reply.body, reply.trailers) == (500, b"sorry", {})


@pytest.mark.parametrize("said", ["nothing", "half"])
async def test_an_app_that_returns_too_early_is_an_error(api: LocalRuntimeApi, start: Any, said: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if said == "half":
            await send({"type": "http.response.start", "status": 200, "headers": []})

    reply = api.invoke("r1")
    start(app)
    await ended(reply)
    kind = reply.trailers if said == "half" else reply.headers
    assert kind["lambda-runtime-function-error-type"] == "Runtime.UnfinishedError"


async def test_an_app_that_overstays_is_stopped_before_lambda_would(api: LocalRuntimeApi, start: Any) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.Event().wait()

    reply = api.invoke("r1", limit_s=0.6)
    start(app)
    await ended(reply)
    assert reply.trailers["lambda-runtime-function-error-type"] == "Runtime.TimeoutError"


async def test_when_nobody_takes_the_answer_any_more_the_app_is_told_and_the_next_event_served(
    api: LocalRuntimeApi, start: Any
) -> None:
    told = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            for _ in range(1000):
                await send({"type": "http.response.body", "body": b"x" * 10_000, "more_body": True})
        except OSError:
            assert (await receive())["type"] == "http.disconnect"
            told.set()
            raise
        await send({"type": "http.response.body"})

    api.hang_up_after = 3
    api.invoke("r1")
    start(app)
    await asyncio.wait_for(told.wait(), 10)
    api.hang_up_after = None
    assert len((await ended(api.invoke("r2"))).body) == 10_000_000


async def test_one_connection_serves_event_after_event(api: LocalRuntimeApi, start: Any) -> None:
    replies = [api.invoke(f"r{number}") for number in range(5)]
    start(answering(b"hello"))
    for reply in replies:
        assert (await ended(reply)).body == b"hello"
    assert api.connections == 1


@pytest.mark.parametrize("announces", [True, False])
async def test_a_connection_that_the_other_end_closes_is_made_anew(
    api: LocalRuntimeApi, start: Any, announces: bool
) -> None:
    """Closed in silence after the event, it is found out before the answer begins, or at the next question."""
    api.keeps, api.announces = False, announces

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await api.hung_up.wait()
        for _ in range(3):  # the loop comes to see that it was
            await asyncio.sleep(0)
        await answering(b"hello")(scope, receive, send)

    replies = [api.invoke(f"r{number}") for number in range(3)]
    start(app)
    for reply in replies:
        assert (await ended(reply)).body == b"hello"
    assert api.connections >= 6


async def test_a_handler_that_cannot_be_loaded_is_reported(api: LocalRuntimeApi) -> None:
    environment = {"AWS_LAMBDA_RUNTIME_API": api.address, "_HANDLER": "no_such_module.handler"}
    with pytest.raises(ModuleNotFoundError):
        await serve(environment)
    assert api.replies["init"].path.endswith("/init/error")
    assert json.loads(api.replies["init"].pieces[0])["errorType"] == "ModuleNotFoundError"


async def test_the_loop_ends_when_lambda_has_no_more_for_it(api: LocalRuntimeApi, start: Any) -> None:
    environment = start(answering())
    await ended(api.invoke("r1"))
    api.next_status = 410
    api.invoke("r2")
    api.invoke("r3")
    with pytest.raises(RuntimeApiError):
        await asyncio.wait_for(serve(environment), 10)


def test_the_prelude_keeps_repeated_headers_and_cookies_and_leaves_framing_to_the_gateway() -> None:
    headers = [
        (b"Vary", b"a"),
        (b"vary", b"b"),
        (b"Set-Cookie", b"c=1"),
        (b"content-length", b"3"),
        (b"x-one", b"\xe9"),
    ]
    start, delimiter, rest = prelude(204, headers).partition(b"\0" * 8)
    assert (delimiter, rest) == (b"\0" * 8, b"")
    assert json.loads(start) == {
        "statusCode": 204,
        "headers": {"x-one": "é"},
        "multiValueHeaders": {"vary": ["a", "b"]},
        "cookies": ["c=1"],
    }


async def test_the_wrapper_puts_the_loop_in_the_managed_clients_place(api: LocalRuntimeApi, tmp_path: Path) -> None:
    (tmp_path / "handler.py").write_text(
        "import sys\nfrom mangum import Mangum\n"
        "async def app(scope, receive, send):\n"
        "    await send({'type': 'http.response.start', 'status': 200, 'headers': []})\n"
        "    await send({'type': 'http.response.body', 'body': repr(sys.flags.utf8_mode).encode()})\n"
        "handler = Mangum(app, lifespan='off')\n"
    )
    environment = {
        **os.environ,
        "AWS_LAMBDA_RUNTIME_API": api.address,
        "AWS_LAMBDA_FUNCTION_NAME": "stream",
        "LAMBDA_TASK_ROOT": str(tmp_path),
        "PYTHONPATH": str(ROOT / "layers/lanekeeper"),
        "_HANDLER": "handler.handler",
    }
    process = await asyncio.create_subprocess_exec(
        ROOT / "layers/lanekeeper/stream-wrapper",
        *(sys.executable, "-X", "utf8", "/var/runtime/bootstrap.py"),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert (await ended(api.invoke("r1"))).body == b"1"
        assert process.stdout is not None
        line = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))
    finally:
        process.kill()
        await process.wait()
    assert line.pop("durationMs") >= 0
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "level": "INFO",
        "message": "invocation",
        "logger": "lanekeeper.stream_runtime.invocation",
        "requestId": "r1",
        "status": 200,
        "pieces": 1,
        "bytes": 1,
        "ended": "complete",
    }
