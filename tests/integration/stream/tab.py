"""A browser's tab on the stream's ASGI app: it reads events as they come and may leave at any time."""

import asyncio
import json
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from lanekeeper.stream import StreamApp
from lanekeeper.types import Json


@dataclass(frozen=True)
class Event:
    """A server-sent event: its id, and what its data says (None for ``[DONE]``)."""

    id: str
    data: Json | None


def parse(raw: bytes) -> list[Event]:
    """Events by the rules of the format: lines end with CR, LF or both, a comment is no event."""
    events, event_id, data = [], "", []
    for line in raw.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            event_id = value
        elif name == "data":
            data.append(value)
        elif not line and data:
            text = "\n".join(data)
            events.append(Event(event_id, None if text == "[DONE]" else json.loads(text)))
            data = []
    return events


class Tab:
    """One request. ``async with`` opens it; leaving the block is leaving the page."""

    def __init__(
        self,
        app: StreamApp,
        path: str,
        query: str = "",
        *,
        token: str | None = None,
        last_event_id: object = None,
        method: str = "GET",
        seconds: float | None = None,
    ) -> None:
        self._app = app
        headers = {"authorization": token and f"Bearer {token}", "last-event-id": last_event_id}
        self._scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.encode(), str(value).encode()) for name, value in headers.items() if value is not None],
            "state": {} if seconds is None else {"deadline": time.monotonic() + seconds},
        }
        self._left = asyncio.Event()
        self._stirred = asyncio.Condition()
        self.status = 0
        self.headers: dict[str, str] = {}
        self.writes: list[tuple[float, bytes]] = []
        self.ended = False

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        await self.until(lambda: self.status)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        await self._task

    @property
    def raw(self) -> bytes:
        return b"".join(data for _, data in self.writes)

    @property
    def events(self) -> list[Event]:
        return parse(self.raw)

    @property
    def chunks(self) -> list[Json]:
        """The chunks that have come, without ``[DONE]``."""
        return [event.data for event in self.events if event.data is not None]

    @property
    def done(self) -> bool:
        """Whether the stream said that it is complete."""
        return self.raw.endswith(b"data: [DONE]\n\n")

    async def until(self, met: Any, seconds: float = 15) -> None:
        """Wait until a condition holds, or the app fails."""
        async with asyncio.timeout(seconds), self._stirred:
            await self._stirred.wait_for(lambda: met() or self._task.done())
        if self._task.done() and not met():
            self._task.result()
            raise AssertionError(f"the stream ended: {self.raw!r}")

    async def to_end(self, seconds: float = 15) -> list[Json]:
        """All chunks, once the answer is complete."""
        await self.until(lambda: self.ended, seconds)
        return self.chunks

    async def _run(self) -> None:
        try:
            await self._app(self._scope, self._receive, self._send)
        finally:
            async with self._stirred:
                self._stirred.notify_all()

    async def _receive(self) -> dict[str, Any]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        async with self._stirred:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                self.writes.append((time.monotonic(), message.get("body", b"")))
                self.ended = not message.get("more_body", False)
            self._stirred.notify_all()
