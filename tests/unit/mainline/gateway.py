"""A model gateway of a few lines: real HTTP over a real socket, each answer played as the test wrote it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.reply import Ending
from lanekeeper.settings import Secret

Play = Callable[["Answer"], Awaitable[None]]

SMALL = Model(id="small", name="Small", gateway_id="vendor/small-7")


def event(value: Any) -> bytes:
    data = value if isinstance(value, str) else json.dumps(value)
    return f"data: {data}\n\n".encode()


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **beside: Any) -> bytes:
    return event({"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **beside})


def said(*words: str) -> bytes:
    return b"".join(chunk({"content": word}) for word in words)


def called(name: str, arguments: str, index: int = 0) -> bytes:
    function = {"name": name, "arguments": arguments}
    return chunk({"tool_calls": [{"index": index, "id": f"c{index + 1}", "function": function}]})


def usage(prompt: int, completion: int, **beside: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, **beside}


FINISHED = chunk({}, "stop")
COUNTED = event({"choices": [], "usage": usage(10, 3)})
DONE = event("[DONE]")


class Answer:
    """Writes one response."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def head(self, status: int = 200, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} So", "transfer-encoding: chunked"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode())

    async def send(self, data: bytes) -> None:
        if data:
            await self.raw(b"%x\r\n%b\r\n" % (len(data), data))

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def cut(self) -> None:
        self._writer.transport.abort()


def stream(*pieces: bytes, **headers: str) -> Play:
    """A whole answer: these pieces one after the other."""

    async def play(answer: Answer) -> None:
        await answer.head(**headers)
        for piece in pieces:
            await answer.send(piece)
        await answer.end()

    return play


def refuse(status: int, body: Any, **headers: str) -> Play:
    async def play(answer: Answer) -> None:
        await answer.head(status, **headers)
        await answer.send(body if isinstance(body, bytes) else json.dumps(body).encode())
        await answer.end()

    return play


@dataclass
class Gateway:
    """What it was asked, and what it answers next."""

    plays: list[Play] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    connections: int = 0
    url: str = ""

    def header(self, name: str, request: int = -1) -> str | None:
        lines = (line.partition(":") for line in self.heads[request].split("\r\n")[1:])
        return next((value.strip() for key, _, value in lines if key.lower() == name), None)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.heads.append(head)
                size = self.header("content-length")
                self.bodies.append(await reader.readexactly(int(size)) if size else b"")
                await self.plays.pop(0)(Answer(writer))
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            # The client hung up, or the test is over.
            return
        finally:
            writer.close()


@asynccontextmanager
async def gateway() -> AsyncIterator[Gateway]:
    served = Gateway()
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield served
    finally:
        server.close()


@dataclass
class Book:
    """A meter that remembers."""

    opened_calls: list[Call] = field(default_factory=list)
    settled_calls: list[tuple[Call, Usage, bool]] = field(default_factory=list)

    async def opened(self, call: Call) -> None:
        self.opened_calls.append(call)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        self.settled_calls.append((call, usage, failed))

    @property
    def only(self) -> tuple[Usage, bool]:
        """The one call there was: opened once, settled once."""
        assert len(self.opened_calls) == len(self.settled_calls) == 1
        call, spent, failed = self.settled_calls[0]
        assert call is self.opened_calls[0]
        return spent, failed


@asynccontextmanager
async def client(url: str, key: Secret | None = None, **limits: float) -> AsyncIterator[Mainline]:
    mainline = Mainline(url, key or Secret("sk-test"), Limits(**limits))  # type: ignore[arg-type]
    try:
        yield mainline
    finally:
        await mainline.close()


def caller(book: Book, **beside: Any) -> Caller:
    return Caller(**{"user_id": "ana", "turn_id": "turn_1", "meter": book} | beside)


async def read(mainline: Mainline, book: Book, body: dict[str, Any] | None = None, **who: Any) -> tuple[str, Ending]:
    """One whole reply: its text and its ending."""
    parts = [part async for part in mainline.chat(SMALL, body or {"messages": []}, caller(book, **who))]
    *deltas, ending = parts
    assert isinstance(ending, Ending)
    assert not any(isinstance(delta, Ending) for delta in deltas)
    return "".join(delta.text for delta in deltas if not isinstance(delta, Ending)), ending
