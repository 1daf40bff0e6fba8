"""The local API Gateway refuses what the real one refuses, in the shape that the template gives its answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest

from tests.devkit import events, wire
from tests.devkit.gateway import Gateway
from tests.devkit.local_lambda import Function
from tests.devkit.runtime_api import Outcome, Sink

PRELUDE = b'{"statusCode": 200, "headers": {"content-type": "text/event-stream"}}' + b"\0" * 8


class Scripted:
    """A function that answers as the test says."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.outcome = Outcome(b'{"statusCode": 200, "body": "fine"}')
        self.pieces: list[bytes] = []
        self.done = asyncio.Event()

    async def invoke(self, payload: bytes, sink: Sink | None = None) -> Outcome:
        self.events.append(json.loads(payload))
        if sink is not None:
            for piece in self.pieces:
                await sink(piece)
        self.done.set()
        return self.outcome


@pytest.fixture
def function() -> Scripted:
    return Scripted()


@pytest.fixture
async def client(function: Scripted) -> AsyncIterator[httpx.AsyncClient]:
    scripted = cast("Function", function)
    server = wire.Server(Gateway({"accept": scripted, "stream": scripted}).handle)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{await server.open()}", trust_env=False) as opened:
        yield opened
    await server.close()


@pytest.fixture
async def staged(function: Scripted) -> AsyncIterator[httpx.AsyncClient]:
    server = wire.Server(Gateway({"accept": cast("Function", function)}, "staging").handle)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{await server.open()}", trust_env=False) as opened:
        yield opened
    await server.close()


def is_of_the_contracts_shape(answer: httpx.Response) -> bool:
    error = answer.json()["error"]
    return set(error) == {"code", "message", "retryable", "nextStep"} and "x-amzn-requestid" in answer.headers


async def test_a_request_becomes_an_event_and_its_answer_a_response(
    client: httpx.AsyncClient, function: Scripted
) -> None:
    answer = await client.post("/chat?a=1", content=b"{}", headers={"X-Own": "yes"})
    assert (answer.status_code, answer.text) == (200, "fine")
    (event,) = function.events
    assert (event["httpMethod"], event["path"], event["resource"]) == ("POST", "/chat", "/{proxy+}")
    assert event["headers"]["X-Own"] == "yes"
    assert event["requestContext"]["identity"]["sourceIp"] == "127.0.0.1"


async def test_several_requests_share_a_connection(client: httpx.AsyncClient, function: Scripted) -> None:
    for _ in range(3):
        assert (await client.get("/")).status_code == 200
    ports = {event["headers"]["X-Forwarded-Port"] for event in function.events}
    assert len(ports) == 1


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(error={"errorType": "Runtime.ExitError"}),
        Outcome(b'"no proxy answer"'),
        Outcome(b'{"statusCode": 200, "body": "' + b"a" * events.EVENT_LIMIT + b'"}'),
    ],
    ids=["failed", "malformed", "too large"],
)
async def test_a_function_that_failed_is_the_gateways_error(
    client: httpx.AsyncClient, function: Scripted, outcome: Outcome
) -> None:
    function.outcome = outcome
    answer = await client.get("/health")
    assert answer.status_code >= 500
    assert is_of_the_contracts_shape(answer)


@pytest.mark.parametrize("size", [events.BODY_LIMIT + 1, events.EVENT_LIMIT * 3 // 4 + 1], ids=["body", "event"])
async def test_what_is_too_large_is_refused_before_the_function(
    client: httpx.AsyncClient, function: Scripted, size: int
) -> None:
    answer = await client.post("/chat", content=b"a" * size)
    assert answer.status_code == 413
    assert is_of_the_contracts_shape(answer)
    assert function.events == []


async def test_an_unknown_method_is_refused_by_the_gateway(client: httpx.AsyncClient, function: Scripted) -> None:
    answer = await client.request("BREW", "/chat")
    assert 400 <= answer.status_code < 500
    assert is_of_the_contracts_shape(answer)
    assert function.events == []


async def test_a_path_that_is_no_utf8_is_refused(client: httpx.AsyncClient, function: Scripted) -> None:
    assert (await client.get("/conversations/%ff")).status_code == 400
    assert function.events == []


async def test_a_head_request_has_no_body(client: httpx.AsyncClient) -> None:
    answer = await client.head("/health")
    assert (answer.status_code, answer.content) == (200, b"")


async def test_only_what_is_under_the_stage_is_the_apis(staged: httpx.AsyncClient, function: Scripted) -> None:
    assert (await staged.get("/staging/health")).status_code == 200
    assert function.events[0]["path"] == "/health"
    assert (await staged.get("/staging")).status_code == 200
    assert function.events[1]["path"] == "/"
    assert (await staged.get("/health")).status_code >= 400
    assert len(function.events) == 2


async def test_a_stream_is_relayed_as_it_comes(client: httpx.AsyncClient, function: Scripted) -> None:
    function.pieces = [PRELUDE[:10], PRELUDE[10:] + b"data: 1\n\n", b"data: 2\n\n"]
    function.outcome = Outcome(streamed=True)
    answer = await client.get("/chat/conv_1/stream?turn=a")
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.text == "data: 1\n\ndata: 2\n\n"
    assert function.events[0]["pathParameters"] == {"conversationId": "conv_1"}


async def test_a_stream_that_broke_off_is_cut_and_has_no_end(client: httpx.AsyncClient, function: Scripted) -> None:
    function.pieces = [PRELUDE + b"data: 1\n\n"]
    function.outcome = Outcome(error={"errorType": "Runtime.ExitError"}, streamed=True)
    with pytest.raises(httpx.TransportError):
        await client.get("/chat/conv_1/stream")


async def test_a_stream_that_never_began_is_the_gateways_error(client: httpx.AsyncClient, function: Scripted) -> None:
    function.outcome = Outcome(error={"errorType": "Runtime.ExitError"})
    answer = await client.get("/chat/conv_1/stream")
    assert answer.status_code >= 500
    assert is_of_the_contracts_shape(answer)


async def test_a_client_that_goes_away_is_not_reported_to_the_function(
    client: httpx.AsyncClient, function: Scripted
) -> None:
    function.pieces = [PRELUDE, *[b"data: x\n\n" * 1000] * 200]
    function.outcome = Outcome(streamed=True)
    async with client.stream("GET", "/chat/conv_1/stream") as answer:
        async for _ in answer.aiter_raw():
            break
    await asyncio.wait_for(function.done.wait(), 5)


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/3\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\n : x\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_refused(client: httpx.AsyncClient, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
    writer.write(sent)
    assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
    writer.close()


async def test_a_body_in_chunks_is_read(client: httpx.AsyncClient, function: Scripted) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"a":'
        yield b"1}"

    assert (await client.post("/chat", content=pieces())).status_code == 200
    assert function.events[0]["body"] == "eyJhIjoxfQ=="
