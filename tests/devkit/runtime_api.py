"""Lambda's Runtime API (2018-06-01) for one sandbox: hands it an event at a time and takes its answers."""

import asyncio
import base64
import json
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.devkit import wire
from tests.devkit.events import ACCOUNT

REGION = "eu-central-1"
_API = "/2018-06-01/runtime/"

Sink = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an invocation ended: with a payload, or with an error in Lambda's shape. Streamed: all of it was sent on."""

    payload: bytes = b""
    error: dict[str, Any] | None = None
    streamed: bool = False


@dataclass(slots=True, eq=False)
class Invocation:
    """One event on its way through a sandbox. ``sink`` gets the pieces of a streamed answer."""

    payload: bytes
    sink: Sink | None = None
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    outcome: asyncio.Future[Outcome] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    streaming: bool = False

    def end(self, outcome: Outcome) -> None:
        """Say how it ended; only the first word counts."""
        if not self.outcome.done():
            self.outcome.set_result(outcome)

    def fail(self, kind: str, message: str) -> None:
        """It ended without the function's own word."""
        error = {"errorType": kind, "errorMessage": f"RequestId: {self.request_id} Error: {message}"}
        self.end(Outcome(error=error, streamed=self.streaming))


class RuntimeApi:
    """The server a sandbox talks to, on a port of its own: that is how its sandbox is known.

    Args:
        function: the function's name.
        timeout_s: how long one invocation may take.
        ready: called whenever the sandbox asks for its next event.
        reached: called with the name of a kill point that the sandbox has reached.
    """

    def __init__(
        self, function: str, timeout_s: float, ready: Callable[[], None], reached: Callable[[str], Awaitable[None]]
    ) -> None:
        self.current: Invocation | None = None
        self.start_error: dict[str, Any] | None = None
        self._function = function
        self._timeout_s = timeout_s
        self._ready = ready
        self._reached = reached
        self._next: asyncio.Future[Invocation] | None = None
        self._server = wire.Server(self._handle)

    async def open(self) -> str:
        """Listen; the address for AWS_LAMBDA_RUNTIME_API."""
        return f"127.0.0.1:{await self._server.open()}"

    def deliver(self, invocation: Invocation) -> None:
        """Hand the waiting sandbox its next event."""
        assert self._next is not None
        self.current = invocation
        self._next.set_result(invocation)
        self._next = None

    async def close(self) -> None:
        """Listen no more."""
        await self._server.close()

    async def _handle(self, exchange: wire.Exchange) -> None:
        if exchange.path.startswith("/devkit/reached/"):
            await self._reached(exchange.path.rpartition("/")[2])
            await exchange.respond(204)
            return
        match exchange.path.removeprefix(_API).split("/"):
            case ["invocation", "next"]:
                await self._give_next(exchange)
            case ["invocation", request_id, "response"]:
                await self._take_response(exchange, request_id)
            case ["invocation", request_id, "error"]:
                error = await exchange.json()
                if self.current is not None and self.current.request_id == request_id:
                    self.current.end(Outcome(error=error))
                await exchange.respond_json(202, {"status": "OK"})
            case ["init", "error"]:
                self.start_error = await exchange.json()
                await exchange.respond_json(202, {"status": "OK"})
            case _:
                await exchange.respond_json(404, {"errorMessage": "no such call", "errorType": "NotFound"})

    async def _give_next(self, exchange: wire.Exchange) -> None:
        self.current = None
        waiting = self._next = asyncio.get_running_loop().create_future()
        self._ready()
        invocation = await waiting
        headers = {
            "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
            "Lambda-Runtime-Deadline-Ms": str(int((time.time() + self._timeout_s) * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": arn(self._function),
            "Lambda-Runtime-Trace-Id": f"Root=1-{int(time.time()):08x}-{invocation.request_id[-12:]:0>24};Sampled=0",
            "Content-Type": "application/json",
        }
        await exchange.respond(200, invocation.payload, headers.items())

    async def _take_response(self, exchange: wire.Exchange, request_id: str) -> None:
        invocation = self.current
        if invocation is None or invocation.request_id != request_id:
            await exchange.body()
            await exchange.respond_json(400, {"errorMessage": "no such invocation", "errorType": "InvalidRequestID"})
            return
        if exchange.header("lambda-runtime-function-response-mode") != "streaming":
            invocation.end(Outcome(await exchange.body()))
        else:
            invocation.streaming = True
            async for piece in exchange.pieces():
                if invocation.sink is not None:
                    await invocation.sink(piece)
            invocation.end(Outcome(error=_trailing_error(exchange.trailers), streamed=True))
        await exchange.respond_json(202, {"status": "OK"})


def arn(function: str) -> str:
    """The ARN a local function goes by."""
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}"


def _trailing_error(trailers: dict[str, str]) -> dict[str, Any] | None:
    kind = trailers.get("lambda-runtime-function-error-type")
    if kind is None:
        return None
    body = trailers.get("lambda-runtime-function-error-body", "")
    try:
        detail = json.loads(base64.b64decode(body))
    except ValueError:
        detail = {}
    return {"errorType": kind, **detail}
