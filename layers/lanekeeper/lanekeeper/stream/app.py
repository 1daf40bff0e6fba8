"""The stream's ASGI app: one route, no framework."""

import asyncio
import json
import logging
import math
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import aclosing
from typing import Any

import psycopg

from lanekeeper.errors import AWAY, DatabaseUnreachableError, Problem
from lanekeeper.limits import Limits
from lanekeeper.people import Identity
from lanekeeper.stream.ask import Ask
from lanekeeper.stream.quiet import with_comments
from lanekeeper.stream.relay import Following, Relay
from lanekeeper.stream.rules import HEADERS, OPENED

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

logger = logging.getLogger(__name__)


class StreamApp:
    """``GET /chat/{conversationId}/stream[?turn=&after=]``.

    Answers 200 with server-sent events, 204 when no turn was named and none is to be followed, and otherwise a
    problem in the contract's shape: 401, 404, 405, 422, 503. When ``scope["state"]`` has a ``deadline`` (seconds of
    the event loop's clock), the stream is cut before it, without ``[DONE]``: the client resumes from its last event.
    """

    def __init__(self, identity: Identity, relay: Relay, limits: Limits) -> None:
        self._identity = identity
        self._relay = relay
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            # Our runtime loop sends nothing else. A server that asks for a lifespan takes this for a no, and goes on.
            raise NotImplementedError(f"no {scope['type']} here")
        try:
            following = await self._open(scope)
        except Problem as problem:
            await refuse(send, problem)
        except (DatabaseUnreachableError, psycopg.OperationalError) as error:
            logger.error("the database is away: %s", type(error.__cause__ or error).__name__)
            await refuse(send, AWAY)
        else:
            if following is None:
                await send({"type": "http.response.start", "status": 204, "headers": [(b"cache-control", b"no-store")]})
                await send({"type": "http.response.body"})
            else:
                await self._stream(following, scope, receive, send)

    async def _open(self, scope: Scope) -> Following | None:
        ask = Ask.of(scope, self._limits)
        person = await self._identity.person(ask.authorization)
        return await self._relay.find(person.id, ask.conversation_id, ask.turn_id, ask.after)

    async def _stream(self, following: Following, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": list(HEADERS)})
        await send({"type": "http.response.body", "body": OPENED, "more_body": True})
        deadline = scope.get("state", {}).get("deadline", math.inf) - self._limits.stream_reserve_s
        playing = asyncio.create_task(self._play(following, deadline, send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait({playing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not playing.done():
                playing.cancel()
            await asyncio.wait({playing, leaving})
        if not playing.cancelled():
            playing.result()
            await send({"type": "http.response.body"})

    async def _play(self, following: Following, deadline: float, send: Send) -> None:
        try:
            async with (
                asyncio.timeout_at(deadline if math.isfinite(deadline) else None) as limit,
                aclosing(following.blocks()) as blocks,
                aclosing(with_comments(blocks, self._limits)) as written,
            ):
                async for block in written:
                    await send({"type": "http.response.body", "body": block, "more_body": True})
        except TimeoutError:
            if not limit.expired():
                raise


async def _left(receive: Receive) -> None:
    """Until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def refuse(send: Send, problem: Problem) -> None:
    """Answer with a problem, in the contract's shape."""
    body = json.dumps(problem.body()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if problem.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if problem.status == 405:
        headers.append((b"allow", b"GET"))
    if problem.retry_after_s is not None:
        headers.append((b"retry-after", b"%d" % problem.retry_after_s))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
