"""HTTP/1.1 on asyncio streams: as much of it as the local API Gateway and the local Lambda speak."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from http import HTTPStatus
from typing import Any

Header = tuple[str, str]

_HEAD_LIMIT = 64 * 1024
_DRAINED = 32 * 2**20


class WireError(Exception):
    """What the other side sent is no request that can be read."""


class TooLargeError(WireError):
    """The body is larger than the reader allows."""


class Exchange:
    """One request and its answer.

    ``headers`` keep their order and case; ``target`` is the path and query as they were sent.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        try:
            self.method, self.target, version = lines[0].split(" ")
            self.headers = [_header(line) for line in lines[1:] if line]
        except ValueError as error:
            raise WireError("no HTTP/1.1 request") from error
        if version not in ("HTTP/1.1", "HTTP/1.0"):
            raise WireError("no HTTP/1.1 request")
        self.peer: str = (writer.get_extra_info("peername") or ("",))[0]
        self.trailers: dict[str, str] = {}
        self.answered = False
        self._reader = reader
        self._writer = writer
        self._keep = version == "HTTP/1.1" and self.header("connection").lower() != "close"
        self._chunked_answers = version == "HTTP/1.1"
        self._chunking = False
        self._unread = bool(self.header("transfer-encoding")) or self.header("content-length", "0") != "0"

    @property
    def path(self) -> str:
        """The path as it was sent, without the query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """The query as it was sent."""
        return self.target.partition("?")[2]

    def header(self, name: str, default: str = "") -> str:
        """The last value of a header, by its name in lower case."""
        return next((value for key, value in reversed(self.headers) if key.lower() == name), default)

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes in. Trailers are known once it has ended.

        Raises:
            WireError: it is not framed as HTTP says.
        """
        if not self._unread:
            return
        if self.header("expect").lower() == "100-continue":
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            if "chunked" in self.header("transfer-encoding").lower():
                while size := int((await self._reader.readline()).partition(b";")[0], 16):
                    yield await self._reader.readexactly(size)
                    await self._reader.readexactly(2)
                while line := (await self._reader.readline()).strip():
                    name, value = _header(line.decode("latin-1"))
                    self.trailers[name.lower()] = value
            else:
                left = int(self.header("content-length", "0"))
                while left > 0:
                    piece = await self._reader.read(min(left, 256 * 1024))
                    if not piece:
                        raise asyncio.IncompleteReadError(b"", left)
                    left -= len(piece)
                    yield piece
        except ValueError as error:
            raise WireError("the body is not framed as HTTP says") from error
        self._unread = False

    async def body(self, limit: int = 64 * 2**20) -> bytes:
        """The whole body.

        Raises:
            TooLargeError: it has more bytes than ``limit``.
        """
        parts, size = [], 0
        async for piece in self.pieces():
            size += len(piece)
            if size > limit:
                raise TooLargeError
            parts.append(piece)
        return b"".join(parts)

    async def json(self) -> Any:
        """The body as JSON; an empty one is an empty object.

        Raises:
            WireError: it is no JSON.
        """
        try:
            return json.loads(await self.body() or b"{}")
        except ValueError as error:
            raise WireError("the body is no JSON") from error

    async def respond(self, status: int, body: bytes = b"", headers: Iterable[Header] = ()) -> None:
        """Answer at once, whole."""
        self.answered = True
        head = [*headers]
        if status not in (204, 304):
            head.append(("Content-Length", str(len(body))))
        if self._unread:
            self._keep = False
        self._writer.write(_head(status, head, keep=self._keep) + (b"" if self.method == "HEAD" else body))
        await self._writer.drain()

    async def respond_json(self, status: int, value: Any, headers: Iterable[Header] = ()) -> None:
        """Answer with a JSON document."""
        await self.respond(status, json.dumps(value).encode(), [("Content-Type", "application/json"), *headers])

    async def begin(self, status: int, headers: Iterable[Header] = ()) -> None:
        """Begin an answer whose body comes in pieces."""
        self.answered = True
        self._chunking = self._chunked_answers and status not in (204, 304)
        if not self._chunking:
            self._keep = False
        framing = [("Transfer-Encoding", "chunked")] if self._chunking else []
        self._writer.write(_head(status, [*headers, *framing], keep=self._keep))
        await self._writer.drain()

    async def write(self, piece: bytes) -> None:
        """Send a piece of the body.

        Raises:
            ConnectionError: the other side has gone.
        """
        if piece and self.method != "HEAD":
            self._writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if self._chunking else piece)
            await self._writer.drain()
        if self._writer.transport.is_closing():
            raise ConnectionResetError("the client has gone")

    async def end(self) -> None:
        """The body is complete."""
        if self._chunking and self.method != "HEAD":
            self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    def abort(self) -> None:
        """Break the connection, so that the other side sees a cut and no end."""
        self._writer.transport.abort()

    async def _finish(self) -> bool:
        """Whether the connection can carry another request."""
        if not self.answered:
            await self.respond(500)
        if self._unread and not self._writer.transport.is_closing():
            # A client that is still sending would see a reset instead of its answer.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(5):
                    left = _DRAINED
                    while left > 0 and (piece := await self._reader.read(64 * 1024)):
                        left -= len(piece)
        return self._keep


Handler = Callable[[Exchange], Awaitable[None]]


class Server:
    """Gives each request to ``handler``."""

    def __init__(self, handler: Handler) -> None:
        self.port = 0
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._conversations: set[asyncio.Task[None]] = set()

    async def open(self, port: int = 0) -> int:
        """Listen on 127.0.0.1; port 0 is a free one. The port."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port, limit=_HEAD_LIMIT, backlog=512)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self.port

    async def close(self) -> None:
        """Listen no more, and break off what is being said."""
        if self._server is not None:
            self._server.close()
        conversations = list(self._conversations)
        for conversation in conversations:
            conversation.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = asyncio.current_task()
        assert conversation is not None
        self._conversations.add(conversation)
        try:
            await _converse(self._handler, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # whoever asked has gone, or we go: there is nobody left to tell
        finally:
            self._conversations.discard(conversation)
            writer.close()


async def _converse(handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            writer.write(_head(431, [("Content-Length", "0")], keep=False))
            return
        try:
            exchange = Exchange(reader, writer, head[:-4])
        except WireError:
            writer.write(_head(400, [("Content-Length", "0")], keep=False))
            return
        try:
            await handler(exchange)
        except WireError as error:
            if exchange.answered:
                return
            await exchange.respond_json(413 if isinstance(error, TooLargeError) else 400, {"message": str(error)})
        if not await exchange._finish():
            return


def _header(line: str) -> Header:
    name, colon, value = line.partition(":")
    if not colon or not name or name != name.strip():
        raise ValueError(line)
    return name, value.strip()


def _head(status: int, headers: Iterable[Header], *, keep: bool) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers)]
    if not keep:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
