"""A small HTTP client for measuring: one connection each, so that the client costs little and its clock is honest."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


class RefusedError(Exception):
    """The server answered with an error status."""


@dataclass(slots=True)
class Head:
    """Status and headers of an answer, names in lower case."""

    status: int
    headers: dict[str, str]


class Wire:
    """One kept-alive connection to a server."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._prefix = parts.path.rstrip("/")
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Head:
        """Send a request; return once the head of the answer is there.

        Raises:
            RefusedError: the status is 400 or more; the message holds the body.
        """
        reader, writer = await self._connected()
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {self._prefix}{path} HTTP/1.1", f"Host: {self._host}:{self._port}"]
        if body is not None:
            lines.append("Content-Type: application/json")
        lines += [f"Content-Length: {len(data)}", *(f"{name}: {value}" for name, value in (headers or {}).items())]
        writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = (line.partition(":") for line in text[1:] if line)
        self._head = Head(int(text[0].split()[1]), {name.lower(): value.strip() for name, _, value in fields})
        if self._head.status >= 400:
            answer = b"".join([piece async for piece in self.pieces()])
            raise RefusedError(f"{method} {path}: {self._head.status} {answer[:300].decode(errors='replace')}")
        return self._head

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes."""
        reader, _ = await self._connected()
        headers = self._head.headers
        if headers.get("transfer-encoding", "").lower() == "chunked":
            while size := int((await reader.readline()).split(b";")[0], 16):
                yield await reader.readexactly(size)
                await reader.readexactly(2)
            while (await reader.readline()).strip():
                pass
        elif "content-length" in headers:
            if size := int(headers["content-length"]):
                yield await reader.readexactly(size)
        elif self._head.status not in {204, 304}:
            while piece := await reader.read(65536):
                yield piece
            self.drop()

    async def events(self) -> AsyncIterator[tuple[str, str]]:
        """The body as server-sent events: ``(event, data)``, comments left out."""
        rest, event = b"", ""
        async for piece in self.pieces():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                name, _, value = line.rstrip(b"\r").partition(b":")
                if name == b"event":
                    event = value.strip().decode()
                elif name == b"data":
                    yield event, value.strip().decode()
                elif not line.strip():
                    event = ""

    async def json(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Send a request and read its whole answer as JSON; None when it is empty."""
        await self.send(method, path, body, headers)
        data = b"".join([piece async for piece in self.pieces()])
        return json.loads(data) if data else None

    def drop(self) -> None:
        """Forget the connection; the next request makes another."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._reader is None or self._writer is None or self._writer.is_closing() or self._reader.at_eof():
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=2**22)
        return self._reader, self._writer
