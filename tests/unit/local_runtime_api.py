"""A Lambda Runtime API for tests of what speaks to it: hands out events, keeps what comes back."""

import asyncio
import json
import time
from contextlib import suppress
from typing import Any

from lanekeeper.stream_runtime.prelude import DELIMITER

ARN = "arn:aws:lambda:eu-central-1:111122223333:function:local"
ACCEPTED = "HTTP/1.1 202 Accepted\r\n{}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
CLOSE = "Connection: close\r\n"
EVENT = {
    "resource": "/chat/{conversationId}/stream",
    "path": "/chat/conv_1/stream",
    "httpMethod": "GET",
    "headers": {"Host": "api.example", "Last-Event-ID": "7"},
    "multiValueHeaders": {"Host": ["api.example"], "Last-Event-ID": ["7"]},
    "queryStringParameters": {"turn": "turn_1"},
    "multiValueQueryStringParameters": {"turn": ["turn_1"]},
    "requestContext": {"stage": "dev", "identity": {"sourceIp": "192.0.2.1"}},
    "body": None,
    "isBase64Encoded": False,
}


class Reply:
    """What the function posted for one event."""

    def __init__(self) -> None:
        self.path = ""
        self.headers: dict[str, str] = {}
        self.pieces: list[bytes] = []
        self.trailers: dict[str, str] = {}
        self.arrived = asyncio.Event()
        self.ended = asyncio.Event()

    @property
    def start(self) -> dict[str, Any]:
        return json.loads(b"".join(self.pieces).split(DELIMITER, 1)[0])

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces).split(DELIMITER, 1)[1]


class LocalRuntimeApi:
    """Hands out the events it was given, one after another, and keeps what comes back."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[tuple[str, bytes, float]] = asyncio.Queue()
        self.replies: dict[str, Reply] = {}
        self.hang_up_after: int | None = None
        self.next_status = 200
        self.keeps = True
        """Whether a connection may be used again; else it is closed after an answer, announced or not."""
        self.announces = True
        self.connections = 0
        self.hung_up = asyncio.Event()
        """Set once the newest connection is closed from here."""

    async def __aenter__(self) -> "LocalRuntimeApi":
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()

    def invoke(self, request_id: str, event: Any = EVENT, limit_s: float = 30) -> Reply:
        self.replies[request_id] = Reply()
        self.events.put_nowait((request_id, json.dumps(event).encode(), time.time() + limit_s))
        return self.replies[request_id]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.hung_up.clear()
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while request := await reader.readline():
                await self._answer(request.decode().split()[1], reader, writer)
                await writer.drain()
                if not self.keeps:
                    break
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        self.hung_up.set()

    async def _answer(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        headers = await self._headers(reader)
        close = "" if self.keeps or not self.announces else CLOSE
        if path.endswith("/invocation/next"):
            request_id, body, deadline = await self.events.get()
            lines = [
                f"HTTP/1.1 {self.next_status} OK",
                f"Content-Length: {len(body)}",
                "Content-Type: application/json",  # without it Lambda's own client crashes
                f"Lambda-Runtime-Aws-Request-Id: {request_id}",
                f"Lambda-Runtime-Trace-Id: Root={request_id}",
                f"Lambda-Runtime-Invoked-Function-Arn: {ARN}",
                f"Lambda-Runtime-Deadline-Ms: {round(deadline * 1000)}",
            ]
            writer.write(("\r\n".join(lines) + f"\r\n{close}\r\n").encode() + body)
        else:
            reply = self.replies.setdefault(path.split("/")[-2], Reply())
            reply.path, reply.headers = path, headers
            await self._keep(reader, reply)
            writer.write(ACCEPTED.format(close).encode())

    async def _keep(self, reader: asyncio.StreamReader, reply: Reply) -> None:
        if reply.headers.get("transfer-encoding") != "chunked":
            reply.pieces.append(await reader.readexactly(int(reply.headers["content-length"])))
        else:
            while size := int(await reader.readline(), 16):
                reply.pieces.append(await reader.readexactly(size))
                await reader.readline()
                reply.arrived.set()
                if self.hang_up_after == len(reply.pieces):
                    raise ConnectionError
            reply.trailers = await self._headers(reader)
        reply.ended.set()

    @staticmethod
    async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
        headers = {}
        while line := (await reader.readline()).strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return headers
