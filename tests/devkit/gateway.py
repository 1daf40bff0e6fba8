"""The local API Gateway: HTTP on 127.0.0.1 becomes REST proxy events, and what the functions answer becomes HTTP."""

import asyncio
import json
import logging
import uuid
from collections.abc import Mapping
from urllib.parse import unquote

from tests.devkit import events, template, wire
from tests.devkit.events import Header, MalformedAnswerError
from tests.devkit.local_lambda import Function
from tests.devkit.runtime_api import Outcome

logger = logging.getLogger("devkit.gateway")

INTEGRATION_TIMEOUT_S = 29.0
STREAM_TIMEOUT_S = 300.0
METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


class Gateway:
    """A REST API in front of the functions.

    Args:
        functions: ``accept`` and ``stream`` by name.
        stage: the first part of every path, as a deployed API without a domain of its own has it; empty for none.
    """

    def __init__(self, functions: Mapping[str, Function], stage: str = "") -> None:
        self._functions = functions
        self._stage = stage

    async def handle(self, exchange: wire.Exchange) -> None:
        """One request through the API."""
        path = self._inside_stage(exchange.path)
        if exchange.method not in METHODS or path is None:
            await self._refuse(exchange, "MISSING_AUTHENTICATION_TOKEN")
            return
        try:
            decoded = unquote(path, errors="strict")
        except UnicodeDecodeError:
            await self._refuse(exchange, "BAD_REQUEST")
            return
        try:
            body = await exchange.body(events.BODY_LIMIT)
        except wire.TooLargeError:
            await self._refuse(exchange, "REQUEST_TOO_LARGE")
            return
        route = events.route(exchange.method, decoded)
        event = events.event(
            exchange.method,
            path,
            exchange.query,
            exchange.headers,
            body,
            to=route,
            stage=self._stage,
            source_ip=exchange.peer,
            host=exchange.header("host", "127.0.0.1"),
        )
        payload = json.dumps(event, separators=(",", ":")).encode()
        if len(payload) > events.EVENT_LIMIT:
            await self._refuse(exchange, "REQUEST_TOO_LARGE")
        elif route.streamed:
            await _Relay(exchange, self._own_headers()).run(self._functions[route.function], payload, self)
        else:
            await self._buffered(exchange, self._functions[route.function], payload)

    async def refuse_for(self, exchange: wire.Exchange, error: str) -> None:
        """Answer that the integration failed, and say why in the log."""
        logger.warning("%s %s: %s", exchange.method, exchange.path, error)
        await self._refuse(exchange, "LAMBDA_FAILURE")

    async def _buffered(self, exchange: wire.Exchange, function: Function, payload: bytes) -> None:
        try:
            async with asyncio.timeout(INTEGRATION_TIMEOUT_S):
                outcome = await function.invoke(payload)
        except TimeoutError:
            await self._refuse(exchange, "INTEGRATION_TIMEOUT")
            return
        if outcome.error is not None:
            await self.refuse_for(exchange, _name(outcome))
            return
        try:
            answer = events.answer(outcome.payload)
        except MalformedAnswerError as error:
            await self.refuse_for(exchange, f"malformed answer: {error}")
            return
        await exchange.respond(answer.status, answer.body, [*answer.headers, *self._own_headers()])

    async def _refuse(self, exchange: wire.Exchange, kind: str) -> None:
        status, headers, body = template.refusal(kind)
        await exchange.respond(status, body, [*headers, *self._own_headers()])

    def _own_headers(self) -> list[Header]:
        request_id = str(uuid.uuid4())
        return [("x-amzn-RequestId", request_id), ("x-amz-apigw-id", request_id[:16])]

    def _inside_stage(self, path: str) -> str | None:
        if not path.startswith("/"):
            return None
        if not self._stage:
            return path
        first, slash, rest = path[1:].partition("/")
        return f"{slash or '/'}{rest}" if first == self._stage else None


class _Relay:
    """One streamed answer on its way to the client. A client that has gone is not reported to the function."""

    def __init__(self, exchange: wire.Exchange, headers: list[Header]) -> None:
        self._exchange = exchange
        self._headers = headers
        self._early = b""
        self._begun = False
        self._broken = False

    async def run(self, function: Function, payload: bytes, gateway: Gateway) -> None:
        """Invoke the function and relay what it streams, to its end or to its cut."""
        try:
            async with asyncio.timeout(STREAM_TIMEOUT_S):
                outcome = await function.invoke(payload, self._take)
        except TimeoutError:
            outcome = Outcome(error={"errorType": "the stream's time is over"})
        if self._broken and self._begun:
            self._exchange.abort()
        elif not self._begun:
            await gateway.refuse_for(self._exchange, _name(outcome) if outcome.error else "no streamed answer")
        elif outcome.error is not None:
            logger.warning("%s: cut: %s", self._exchange.path, _name(outcome))
            self._exchange.abort()
        else:
            await self._exchange.end()

    async def _take(self, piece: bytes) -> None:
        if self._broken:
            return
        try:
            if self._begun:
                await self._exchange.write(piece)
                return
            self._early += piece
            split = events.split_prelude(self._early)
            if split is not None:
                answer, rest = split
                self._begun = True
                await self._exchange.begin(answer.status, [*answer.headers, *self._headers])
                await self._exchange.write(rest)
        except MalformedAnswerError:
            self._broken = True
        except ConnectionError:
            self._broken = True


def _name(outcome: Outcome) -> str:
    return str((outcome.error or {}).get("errorType"))
