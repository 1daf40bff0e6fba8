"""Requests to the gateway and what comes back: in time, or a MainlineError."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from typing import TypeVar

import httpx

from lanekeeper.limits import Limits
from lanekeeper.mainline.errors import MainlineError, from_status
from lanekeeper.mainline.event_source import EventReader, EventTooLongError
from lanekeeper.settings import Secret

T = TypeVar("T")

DONE = "[DONE]"
# The end of a chunked body follows the last event at once. Reading it keeps the connection for the next step.
DRAIN_S = 0.05


class Transport:
    """One kept connection pool, and the key.

    Args:
        base_url: the gateway's address, up to and including ``/v1``.
        key: what the gateway lets us in with.
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

    async def get(self, path: str, timeout_s: float) -> object:
        """The JSON at a path, None when there is none.

        Raises:
            MainlineError: it did not come in time, or was refused.
        """
        _, answer = await self._whole(self._http.build_request("GET", path), timeout_s)
        return answer

    async def fetch(self, path: str, timeout_s: float, most_bytes: int) -> bytes:
        """The bytes at a path.

        Raises:
            MainlineError: they did not all come in time, are too many, or were refused.
        """
        until = asyncio.get_running_loop().time() + timeout_s
        response = await self._send(self._http.build_request("GET", path), until)
        try:
            return await _before(until, _bytes(response, most_bytes))
        finally:
            await response.aclose()

    async def delete(self, path: str, timeout_s: float) -> None:
        """Delete what is at a path.

        Raises:
            MainlineError: it was not done in time, or was refused.
        """
        await self._whole(self._http.build_request("DELETE", path), timeout_s)

    async def post(
        self, path: str, content: bytes, headers: Mapping[str, str], timeout_s: float
    ) -> tuple[httpx.Headers, object]:
        """Post a request; its answer's headers, and its JSON or None when it is none.

        Raises:
            MainlineError: it did not come in time, or was refused.
        """
        return await self._whole(self._http.build_request("POST", path, content=content, headers=headers), timeout_s)

    async def events(
        self,
        path: str,
        content: bytes,
        headers: Mapping[str, str],
        *,
        begun: Callable[[httpx.Headers], None],
        finished: Callable[[], bool],
    ) -> AsyncGenerator[str, None]:
        """Post a request and read its answer as events, until the one that says it is done.

        Only events show that the provider is alive: comments come from gateways that wait themselves.

        Args:
            path: where to.
            content: the request's body.
            headers: its headers, without the key.
            begun: told the answer's headers once the gateway has taken the request.
            finished: whether all that matters has been read: then it is no failure when the connection breaks.

        Raises:
            MainlineError: refused, silent for too long, too long in all, or broken off.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._limits.provider_total_s
        silent_at = loop.time() + self._limits.provider_timeout_s
        request = self._http.build_request("POST", path, content=content, headers=headers)
        response = await self._send(request, min(silent_at, deadline))
        begun(response.headers)
        try:
            reader = EventReader(self._limits.provider_event_bytes)
            pieces = response.aiter_bytes()
            while True:
                piece = await _before(min(silent_at, deadline), anext(pieces, None))
                arrived = reader.close() if piece is None else reader.feed(piece)
                for data in arrived:
                    if data == DONE:
                        await _drain(pieces)
                        return
                    yield data
                if piece is None:
                    return
                if arrived:
                    silent_at = loop.time() + self._limits.provider_timeout_s
        except (httpx.TransportError, EventTooLongError) as error:
            if not finished():
                raise MainlineError("cut", retryable=True) from error
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _whole(self, request: httpx.Request, timeout_s: float) -> tuple[httpx.Headers, object]:
        until = asyncio.get_running_loop().time() + timeout_s
        response = await self._send(request, until)
        try:
            return response.headers, await _before(until, _json(response))
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
        body: object = response.json()
    except (ValueError, httpx.TransportError):
        return None
    return body


async def _bytes(response: httpx.Response, most: int) -> bytes:
    content = bytearray()
    try:
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > most:
                raise MainlineError("invalid", retryable=False, reason="too_long")
    except httpx.TransportError as error:
        raise MainlineError("cut", retryable=True) from error
    return bytes(content)
