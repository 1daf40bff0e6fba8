"""The function as Lambda runs it: its handler in a process of its own, driven by the streaming loop."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.stream.author import ANSWER, Author, Turn
from tests.integration.stream.conftest import KEYS, token
from tests.integration.stream.tab import Event, parse
from tests.unit.local_runtime_api import EVENT, LocalRuntimeApi, Reply
from tests.unit.people.issuer import CLIENT, URL

ROOT = Path(__file__).parents[3]


def request(turn: Turn, **headers: str) -> dict[str, Any]:
    """What API Gateway makes of a GET."""
    every = {"Host": "api.example", "Authorization": f"Bearer {token()}", **headers}
    return {
        **EVENT,
        "path": turn.path,
        "headers": every,
        "multiValueHeaders": {name: [value] for name, value in every.items()},
        "queryStringParameters": {"turn": turn.id},
        "multiValueQueryStringParameters": {"turn": [turn.id]},
    }


def events(reply: Reply) -> list[Event]:
    raw = b"".join(reply.pieces)
    return parse(reply.body) if b"\0" * 8 in raw else []


@pytest.fixture
async def runtime(url_as: Callable[[str], str]) -> AsyncIterator[LocalRuntimeApi]:
    """A Runtime API whose events the real function takes."""
    async with LocalRuntimeApi() as api:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LIMIT_", "OIDC_"))},
            "AWS_LAMBDA_RUNTIME_API": api.address,
            "_HANDLER": "handler.handler",
            "LAMBDA_TASK_ROOT": str(ROOT / "functions" / "stream"),
            "PYTHONPATH": str(ROOT / "layers" / "lanekeeper"),
            "LANEKEEPER_ENVIRONMENT": "dev",
            "DATABASE_URL": url_as("stream"),
            "DATABASE_AUTH": "none",
            "OIDC_ISSUER": URL,
            "OIDC_CLIENTS": CLIENT,
            "OIDC_JWKS": KEYS,
            "LIMIT_STREAM_RESERVE_S": "1",
            "LIMIT_KEEP_ALIVE_S": "0.2",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lanekeeper.stream_runtime", env=environment, stdout=asyncio.subprocess.DEVNULL
        )
        yield api
        process.kill()
        await process.wait()


async def until(met: Callable[[], object], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not met():
            await asyncio.sleep(0.02)


async def test_the_first_event_leaves_the_function_before_the_last_is_written(
    author: Author, runtime: LocalRuntimeApi
) -> None:
    """B037: a stream through the deployed path comes piece by piece."""
    turn = await author.turn()
    await turn.begin()
    reply = runtime.invoke("one", request(turn))
    await until(lambda: len(events(reply)) == 3)
    assert reply.start["statusCode"] == 200
    assert reply.start["headers"]["x-vercel-ai-ui-message-stream"] == "v1"
    for chunk in ANSWER:
        await turn.say(chunk)
        await until(lambda: len(events(reply)) == turn.seq)
    await turn.end()
    await until(reply.ended.is_set)
    assert len(events(reply)) == turn.seq + 1
    assert reply.trailers == {}


async def test_a_turn_longer_than_the_function_comes_in_slices(author: Author, runtime: LocalRuntimeApi) -> None:
    """B037: each invocation ends in time and in order, and the next goes on from the last event."""
    turn = await author.turn()
    await turn.begin()
    chunks: list[Any] = []
    slices = 0
    while not chunks or chunks[-1] is not None:
        headers = {"Last-Event-ID": str(len(chunks))} if chunks else {}
        reply = runtime.invoke(f"slice-{slices}", request(turn, **headers), limit_s=3)
        await until(lambda reply=reply: reply.pieces)
        for chunk in ANSWER[slices * 5 : slices * 5 + 5]:
            await turn.say(chunk)
        if slices == 3:
            await turn.end()
        await until(lambda reply=reply: reply.ended.is_set())
        assert reply.trailers == {}
        assert (await author.one("select count(*) as n from stream_sessions"))["n"] == 0
        chunks += [event.data for event in events(reply)]
        slices += 1
    assert slices == 4
    assert chunks[3:-2] == ANSWER


async def test_a_refusal_is_a_plain_answer(author: Author, runtime: LocalRuntimeApi) -> None:
    turn = await author.turn()
    reply = runtime.invoke("refused", request(turn, Authorization="Bearer x.y.z"))
    await until(reply.ended.is_set)
    assert reply.start["statusCode"] == 401
    assert reply.start["headers"]["content-type"] == "application/json"


async def test_nothing_to_follow_is_no_body(author: Author, runtime: LocalRuntimeApi) -> None:
    turn = await author.turn()
    await turn.play()
    event = {**request(turn), "queryStringParameters": None, "multiValueQueryStringParameters": None}
    reply = runtime.invoke("idle", event)
    await until(reply.ended.is_set)
    assert reply.start["statusCode"] == 204
    assert reply.body == b""
