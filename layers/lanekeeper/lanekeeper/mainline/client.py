"""The one Mainline client (K1): an OpenAI-compatible gateway behind one key, called over one kept connection pool."""

import asyncio
import json
import string
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import quote

import httpx

from lanekeeper.ledger.call import Call, Meter
from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline import text, tokens
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.errors import MainlineError, from_status
from lanekeeper.mainline.event_source import EventReader, EventTooLongError
from lanekeeper.mainline.reply import Assembly, Delta, Ending
from lanekeeper.settings import Secret
from lanekeeper.types import Json

T = TypeVar("T")

DONE = "[DONE]"
# The end of a chunked body follows the last event at once. Reading it keeps the connection for the next step.
DRAIN_S = 0.05
_HEADER_SAFE = string.punctuation.replace("%", "") + " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a model is called, for which feature, and who counts the cost.

    ``user_id`` comes from the signed-in session, never from a model or a client (E1).
    """

    user_id: str
    meter: Meter
    turn_id: str | None = None
    feature: str = "chat"


class Mainline:
    """Calls models. It never retries: whoever asks decides that (T5).

    One instance serves one event loop, for as long as the process lives.

    Args:
        base_url: the gateway's address, up to and including ``/v1``.
        key: MAINLINE_AI_KEY.
        limits: how long a provider may be silent, and a call may take.
    """

    def __init__(self, base_url: str, key: Secret, limits: Limits) -> None:
        self._key = key
        self._limits = limits
        self._http = httpx.AsyncClient(
            base_url=base_url,
            timeout=httpx.Timeout(limits.provider_timeout_s, connect=limits.provider_connect_s, read=None),
            limits=httpx.Limits(keepalive_expiry=limits.provider_idle_s),
            # Compression would hold pieces of a stream back.
            headers={"accept-encoding": "identity"},
            trust_env=False,
        )

    async def chat(self, model: Model, body: Json, caller: Caller) -> AsyncGenerator[Delta | Ending, None]:
        """Stream one reply: its pieces as they are written, then its ending, exactly once and last.

        Leaving the iterator early breaks the call off; what it used until then is counted all the same.

        Args:
            model: which model.
            body: the rest of the request, from ``chat_body``.
            caller: on whose behalf.

        Raises:
            MainlineError: the reply is not whole.
        """
        options = {"model": model.gateway_id, "stream": True, "stream_options": {"include_usage": True}}
        call = _call(model, options | body, caller)
        await caller.meter.opened(call)
        reply, failure = Assembly(), None
        try:
            async with aclosing(self._chunks(call, reply)) as chunks:
                async for chunk in chunks:
                    if delta := reply.take(chunk):
                        yield delta
            ending = list(reply.end())
        except MainlineError as error:
            failure = error
            raise
        finally:
            usage = _usage(call, reply, failure)
            await caller.meter.settled(call, usage, failed=failure is not None)
        for last in ending:
            yield replace(last, usage=usage) if isinstance(last, Ending) else last

    async def models(self, timeout_s: float) -> frozenset[str]:
        """The gateway's ids of all models that the key may use.

        Raises:
            MainlineError: they could not be learned within ``timeout_s`` seconds.
        """
        until = asyncio.get_running_loop().time() + timeout_s
        response = await self._send(self._http.build_request("GET", "models"), until)
        try:
            answer = await _before(until, _json(response))
        finally:
            await response.aclose()
        listed = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(listed, list):
            raise MainlineError("unavailable", retryable=True, status=response.status_code)
        return frozenset(str(entry["id"]) for entry in listed if isinstance(entry, dict) and "id" in entry)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _chunks(self, call: Call, reply: Assembly) -> AsyncGenerator[Json, None]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._limits.provider_total_s
        silent_at = loop.time() + self._limits.provider_timeout_s
        request = self._http.build_request(
            "POST", "chat/completions", content=text.dumps(call.body).encode(), headers=_headers(call)
        )
        response = await self._send(request, min(silent_at, deadline))
        reply.begin(response.headers.get("x-litellm-response-cost"))
        try:
            events = EventReader(self._limits.provider_event_bytes)
            pieces = response.aiter_bytes()
            while True:
                piece = await _before(min(silent_at, deadline), anext(pieces, None))
                arrived = events.close() if piece is None else events.feed(piece)
                for data in arrived:
                    if data == DONE:
                        await _drain(pieces)
                        return
                    yield _parse(data)
                if piece is None:
                    return
                if arrived:
                    silent_at = loop.time() + self._limits.provider_timeout_s
        except (httpx.TransportError, EventTooLongError) as error:
            if not reply.finished:
                raise MainlineError("cut", retryable=True) from error
        finally:
            await response.aclose()

    async def _send(self, request: httpx.Request, until: float) -> httpx.Response:
        key = self._key.reveal() if self._key.ready else await _before(until, asyncio.to_thread(self._key.reveal))
        request.headers["authorization"] = f"Bearer {key}"
        try:
            response = await _before(until, self._http.send(request, stream=True))
        except httpx.TransportError as error:
            raise MainlineError("unavailable", retryable=True) from error
        if response.status_code == 200:
            return response
        try:
            error_body = await _before(until, _json(response))
        finally:
            await response.aclose()
        failure = from_status(response.status_code, error_body, response.headers)
        if response.status_code == 401 and self._key.forget():
            # The key was changed where it is kept: the next call reads the new one.
            failure.retryable = True
        raise failure


async def _before(moment: float, waited: Awaitable[T]) -> T:
    """What is awaited, when it comes before that moment of the loop's clock."""
    try:
        async with asyncio.timeout_at(moment):
            return await waited
    except TimeoutError:
        raise MainlineError("timeout", retryable=True) from None


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    try:
        async with asyncio.timeout(DRAIN_S):
            async for _ in pieces:
                pass
    except (TimeoutError, httpx.TransportError):
        return


async def _json(response: httpx.Response) -> object:
    try:
        await response.aread()
        return response.json()
    except (ValueError, httpx.TransportError):
        return None


def _parse(data: str) -> Json:
    try:
        chunk = json.loads(data)
    except ValueError as error:
        raise MainlineError("unavailable", retryable=True) from error
    if not isinstance(chunk, dict):
        raise MainlineError("unavailable", retryable=True)
    return chunk


def _call(model: Model, body: Json, caller: Caller) -> Call:
    return Call(user_id=caller.user_id, turn_id=caller.turn_id, feature=caller.feature, model=model.id, body=body)


def _headers(call: Call) -> dict[str, str]:
    # Percent-encoded where a header could not carry it, so that no id can add a header of its own.
    return {
        "content-type": "application/json",
        "x-mainline-user": quote(call.user_id, safe=_HEADER_SAFE),
        "x-mainline-feature": quote(call.feature, safe=_HEADER_SAFE),
    }


def _usage(call: Call, reply: Assembly, failure: MainlineError | None) -> Usage:
    if reply.usage.reported:
        return reply.usage
    if failure and not reply.begun and failure.kind != "timeout":
        # Turned away, or never reached: nothing was read or written.
        return Usage()
    return Usage(
        input_tokens=tokens.estimate(text.dumps(call.body)),
        output_tokens=tokens.estimate("".join(reply.written)),
        micros=reply.usage.micros,
    )
