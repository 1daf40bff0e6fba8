"""HTTP/1.1 over asyncio, as little of it as a gateway on loopback needs, so that a stream costs next to nothing."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, unquote

MOST_HEAD_BYTES = 64 * 1024
MOST_BODY_BYTES = 256 * 1024 * 1024

_REASONS = {status.value: status.phrase for status in HTTPStatus}


class BadRequestError(Exception):
    """What came in is no HTTP that this server speaks."""


class Request:
    """One request, whole: the body has arrived before a handler sees it."""

    __slots__ = ("body", "headers", "method", "path", "query")

    def __init__(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        path, _, query = target.partition("?")
        self.method = method
        self.path = unquote(path)
        self.query = dict(parse_qsl(query, keep_blank_values=True)) if query else {}
        self.headers = headers
        self.body = body


class Reply:
    """The answer to one request: either ``whole``, or ``begin``, ``send`` as often as wanted, and ``end``."""

    __slots__ = ("_connection", "_streaming", "done")

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._streaming = False
        self.done = False

    @property
    def started(self) -> bool:
        """Whether a first byte has gone out."""
        return self._streaming or self.done

    def whole(self, status: int, body: bytes, content_type: str, headers: dict[str, str] | None = None) -> None:
        """Answer with a body of known length."""
        sized = {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
        self._connection.write(_head(status, sized) + body)
        self.done = True

    def json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        """Answer with a JSON value."""
        self.whole(
            status, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), "application/json", headers
        )

    def begin(self, status: int, content_type: str, headers: dict[str, str] | None = None) -> None:
        """Begin a body of unknown length."""
        chunked = {"content-type": content_type, "transfer-encoding": "chunked", **(headers or {})}
        self._connection.write(_head(status, chunked))
        self._streaming = True

    def send(self, data: bytes) -> None:
        """One more piece of the body."""
        self._connection.write(b"%x\r\n%b\r\n" % (len(data), data))

    async def drain(self) -> None:
        """Wait while the client reads more slowly than we write."""
        await self._connection.writable.wait()

    def end(self) -> None:
        """The body is complete."""
        self._connection.write(b"0\r\n\r\n")
        self.done = True

    def cut(self) -> None:
        """Break the connection where it stands: what was sent arrives, the rest never does."""
        self._connection.hang_up()
        self.done = True


Application = Callable[[Request, Reply], Awaitable[None]]


class Connection(asyncio.Protocol):
    """One client connection: requests in their order, one at a time."""

    def __init__(self, application: Application, connections: "set[Connection]") -> None:
        self._application = application
        self._connections = connections
        self._buffer = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self.writable = asyncio.Event()
        self.path = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(self)
        self.writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self.writable.set()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def write(self, data: bytes) -> None:
        """Send bytes, unless the client has gone."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def hang_up(self) -> None:
        """Close once what was written has left."""
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._task is None:
            self._next()

    def _next(self) -> None:
        try:
            request = self._parse()
        except (BadRequestError, ValueError) as error:
            Reply(self).whole(400, str(error).encode(), "text/plain", {"connection": "close"})
            self.hang_up()
            return
        if request is not None:
            self.path = request.path
            self._task = asyncio.get_running_loop().create_task(self._answer(request))

    async def _answer(self, request: Request) -> None:
        reply = Reply(self)
        await self._application(request, reply)
        if not reply.done:
            reply.cut()
        self._task = None
        if request.headers.get("connection", "").lower() == "close":
            self.hang_up()
        elif self._buffer and self._transport is not None and not self._transport.is_closing():
            self._next()

    def _parse(self) -> Request | None:
        """The next whole request in the buffer, or None while some of it is still to come."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MOST_HEAD_BYTES:
                raise BadRequestError("the head is too long")
            return None
        lines = self._buffer[:end].decode("latin-1").split("\r\n")
        method, _, rest = lines[0].partition(" ")
        target, _, version = rest.rpartition(" ")
        if not version.startswith("HTTP/1."):
            raise BadRequestError("only HTTP/1.1 is spoken here")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        start = end + 4
        if "chunked" in headers.get("transfer-encoding", ""):
            body, stop = _unchunk(self._buffer, start)
        else:
            stop = start + int(headers.get("content-length") or 0)
            body = bytes(self._buffer[start:stop]) if len(self._buffer) >= stop else None
        if stop - start > MOST_BODY_BYTES:
            raise BadRequestError("the body is too long")
        if body is None:
            if "expect" in headers and len(self._buffer) == start:
                self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        del self._buffer[:stop]
        return Request(method, target, headers, body)


def _unchunk(buffer: bytearray, start: int) -> tuple[bytes | None, int]:
    """The body of a chunked request and where it stops; None while some of it is still to come."""
    pieces: list[bytes] = []
    while True:
        line = buffer.find(b"\r\n", start)
        if line < 0:
            return None, start
        size = int(bytes(buffer[start:line]).partition(b";")[0], 16)
        stop = line + 2 + size
        if len(buffer) < stop + 2:
            return None, start
        if size == 0:
            return b"".join(pieces), stop + 2
        pieces.append(bytes(buffer[line + 2 : stop]))
        start = stop + 2


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} {_REASONS.get(status, '')}\r\n{lines}\r\n".encode("latin-1")
