"""The Lambda Runtime API (2018-06-01), as much of it as a streaming function needs."""

import asyncio
import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lanekeeper.types import Json

_VERSION = "/2018-06-01"
_LONGEST_LINE = 64 * 1024

# API Gateway and function URLs read status and headers from a JSON prelude, up to eight NUL bytes.
_CONTENT_TYPE = "application/vnd.awslambda.http-integration-response"

_ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
_ERROR_BODY = "Lambda-Runtime-Function-Error-Body"

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class RuntimeApiError(Exception):
    """The Runtime API refused a call or answered with something that is no HTTP."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the Runtime API said. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class RuntimeApi:
    """A client for one sandbox, on one connection that is kept for as long as the Runtime API keeps it.

    Args:
        address: ``host:port``, as Lambda puts it into ``AWS_LAMBDA_RUNTIME_API``.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        host, _, port = address.partition(":")
        self._host, self._port = host, int(port or 80)
        self._kept: Connection | None = None

    async def next_event(self) -> Answer:
        """The next event. Waits as long as there is none; the sandbox is frozen meanwhile.

        Raises:
            RuntimeApiError: the sandbox is not to go on.
        """
        answer = await self._call("GET", "/runtime/invocation/next")
        if answer.status != 200:
            raise RuntimeApiError(f"no next event: status {answer.status}")
        return answer

    async def fail(self, request_id: str, error: Json) -> None:
        """Report that an invocation failed before any byte of its answer was sent."""
        await self._report(f"/runtime/invocation/{request_id}/error", error)

    async def fail_start(self, error: Json) -> None:
        """Report that the function could not be loaded."""
        await self._report("/runtime/init/error", error)

    async def open_response(self, request_id: str) -> "ResponseStream":
        """Begin a streamed answer.

        Raises:
            OSError: the Runtime API cannot be reached.
        """
        reader, writer = await self._connection()
        writer.write(
            f"POST {_VERSION}/runtime/invocation/{request_id}/response HTTP/1.1\r\n"
            f"Host: {self._address}\r\n"
            "Lambda-Runtime-Function-Response-Mode: streaming\r\n"
            "Transfer-Encoding: chunked\r\n"
            f"Content-Type: {_CONTENT_TYPE}\r\n"
            f"Trailer: {_ERROR_TYPE}, {_ERROR_BODY}\r\n"
            "\r\n".encode()
        )
        return ResponseStream(reader, writer, self._keep)

    async def _report(self, path: str, error: Json) -> None:
        await self._call("POST", path, json.dumps(error).encode(), {_ERROR_TYPE: _kind(error)})

    async def _call(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        lines = [
            f"{method} {_VERSION}{path} HTTP/1.1",
            f"Host: {self._address}",
            f"Content-Length: {len(body)}",
            *(f"{name}: {value}" for name, value in (headers or {}).items()),
        ]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
        if self._kept is not None:
            try:
                return await self._exchange(request)
            except (OSError, RuntimeApiError):
                pass  # The other end had closed it. Each of these calls may be made twice.
        return await self._exchange(request)

    async def _exchange(self, request: bytes) -> Answer:
        reader, writer = await self._connection()
        try:
            writer.write(request)
            await writer.drain()
            answer = await _read_answer(reader)
        except BaseException:
            writer.close()
            raise
        self._keep(answer, (reader, writer))
        return answer

    async def _connection(self) -> Connection:
        """The kept connection, for this caller alone, or a new one."""
        kept, self._kept = self._kept, None
        if kept is not None:
            if not kept[0].at_eof() and not kept[1].is_closing():
                return kept
            kept[1].close()
        return await asyncio.open_connection(self._host, self._port, limit=_LONGEST_LINE)

    def _keep(self, answer: Answer, connection: Connection) -> None:
        """A connection on which an answer has come to its end."""
        if answer.headers.get("connection", "").lower() == "close":
            connection[1].close()
        else:
            self._kept = connection


class ResponseStream:
    """An answer on its way. Every piece leaves at once, as one HTTP chunk."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        release: Callable[[Answer, Connection], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._release = release

    async def write(self, piece: bytes) -> None:
        """Send a piece of the body. An empty piece is nothing: sent, it would end the body.

        Raises:
            OSError: the Runtime API takes no more.
        """
        if piece:
            self._writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await self._writer.drain()

    async def end(self, error: Json | None = None) -> int:
        """End the body, with the error in its trailers when it broke off. The status of the Runtime API's answer.

        Raises:
            OSError: the Runtime API takes no more.
            RuntimeApiError: its answer was no HTTP.
        """
        tail = b"0\r\n"
        if error is not None:
            body = base64.b64encode(json.dumps(error).encode()).decode()
            tail += f"{_ERROR_TYPE}: {_kind(error)}\r\n{_ERROR_BODY}: {body}\r\n".encode()
        try:
            self._writer.write(tail + b"\r\n")
            await self._writer.drain()
            answer = await _read_answer(self._reader)
        except BaseException:
            self._writer.close()
            raise
        self._release(answer, (self._reader, self._writer))
        return answer.status


def _kind(error: Json) -> str:
    return f"Runtime.{error['errorType']}"


async def _read_answer(reader: asyncio.StreamReader) -> Answer:
    try:
        status = int((await reader.readline()).split()[1])
        headers = await _read_headers(reader)
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int((await reader.readline()).split(b";")[0], 16):
                body += await reader.readexactly(size)
                await reader.readline()
            await _read_headers(reader)
        else:
            body = await reader.readexactly(int(headers.get("content-length", "0")))
    except (IndexError, ValueError, asyncio.IncompleteReadError) as error:
        raise RuntimeApiError("the Runtime API broke off its answer") from error
    return Answer(status, headers, body)


async def _read_headers(reader: asyncio.StreamReader) -> dict[str, str]:
    headers: dict[str, str] = {}
    while line := (await reader.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers
