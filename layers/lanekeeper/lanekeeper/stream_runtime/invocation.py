"""One event through the ASGI app, and its answer to Lambda while it is being made."""

import asyncio
import logging
import time
from collections.abc import MutableMapping
from typing import Any, Protocol

from lanekeeper.stream_runtime.context import Context
from lanekeeper.stream_runtime.logs import describe
from lanekeeper.stream_runtime.prelude import prelude
from lanekeeper.stream_runtime.runtime_api import ResponseStream, RuntimeApi, RuntimeApiError
from lanekeeper.types import Json

# An app that has not ended by now is stopped: when Lambda does it, the sandbox and its connections are lost too.
SPARE_S = 0.5

logger = logging.getLogger(__name__)
Message = MutableMapping[str, Any]


class _Request(Protocol):
    @property
    def scope(self) -> MutableMapping[str, Any]: ...

    @property
    def body(self) -> bytes: ...


class Handler(Protocol):
    """What the loop needs of Mangum: the app, and an event's ASGI scope and body."""

    app: Any

    def infer(self, event: Json, context: Any) -> _Request:
        """Read an event."""
        ...


class UnfinishedError(Exception):
    """The app returned before its answer was complete."""


class Invocation:
    """One event and the answer to it.

    The app finds in ``scope["state"]["deadline"]`` when Lambda ends the invocation, in seconds of the event
    loop's clock, and must be done before; ``scope["aws.context"]`` is Lambda's context.
    """

    def __init__(self, api: RuntimeApi, context: Context) -> None:
        self._api = api
        self._context = context
        self._body: bytes | None = None
        self._response: ResponseStream | None = None
        self._over = asyncio.Event()
        self._complete = False
        self._client_gone = False
        self._facts: Json = {"requestId": context.aws_request_id, "status": None, "pieces": 0, "bytes": 0}

    async def run(self, handler: Handler, event: Json) -> None:
        """Have the app answer the event, tell Lambda how it ended, and log one line about it."""
        started = time.monotonic()
        error: BaseException | None = None
        try:
            async with asyncio.timeout_at(self._context.deadline - SPARE_S):
                request = handler.infer(event, self._context)
                self._body = request.body
                scope = {**request.scope, "state": {"deadline": self._context.deadline}}
                await handler.app(scope, self._receive, self._send)
            if not self._complete:
                raise UnfinishedError
        except Exception as raised:  # noqa: BLE001 - whatever it was, Lambda is told and the next event is served
            error = raised
        finally:
            self._over.set()

        try:
            await self._tell(error)
        except (OSError, RuntimeApiError):
            self._client_gone = True
        self._facts["ended"] = "gone" if self._client_gone else "failed" if error else "complete"
        self._facts["durationMs"] = round((time.monotonic() - started) * 1000)
        failed = error is not None and not self._client_gone
        logger.log(
            logging.ERROR if failed else logging.INFO,
            "invocation",
            extra={"fields": self._facts},
            exc_info=error if failed else None,
        )

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        try:
            if message["type"] == "http.response.start":
                self._facts["status"] = message["status"]
                self._response = await self._api.open_response(self._context.aws_request_id)
                await self._response.write(prelude(message["status"], message.get("headers", ())))
            elif message["type"] == "http.response.body":
                if self._response is None:
                    raise UnfinishedError
                await self._write(message.get("body", b""))
                if not message.get("more_body", False):
                    self._complete = True
                    self._over.set()
        except OSError:
            self._client_gone = True
            self._over.set()
            raise

    async def _write(self, piece: bytes) -> None:
        assert self._response is not None
        await self._response.write(piece)
        self._facts["pieces"] += 1
        self._facts["bytes"] += len(piece)

    async def _tell(self, error: BaseException | None) -> None:
        if self._response is not None:
            # An app that answered 500 in full and then raised has said all there is to say.
            await self._response.end(None if self._complete or error is None else describe(error))
        elif error is not None:
            await self._api.fail(self._context.aws_request_id, describe(error))
