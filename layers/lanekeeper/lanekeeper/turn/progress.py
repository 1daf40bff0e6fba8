"""How running tool calls are getting on, shown a few times a second and not kept (N7)."""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lanekeeper import clock
from lanekeeper.limits import Limits
from lanekeeper.mainline.text import canonical, dumps, storable
from lanekeeper.redact import place
from lanekeeper.replies import ReplyStream
from lanekeeper.types import Json

logger = logging.getLogger(__name__)


class Progress:
    """Shows the latest line of each call, the first at once and the next ones no more often than the limit says.

    Args:
        stream: where it is shown.
        limits: how often, and how much.
    """

    def __init__(self, stream: ReplyStream, limits: Limits) -> None:
        self._stream = stream
        self._interval_s = limits.progress_ms / 1000
        self._bytes = limits.progress_bytes
        self._running = False
        self._shown_at: dict[str, float] = {}
        self._latest: dict[str, Json] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    @contextmanager
    def over(self) -> Iterator[None]:
        """Show progress while the block runs, and none after it: what follows are the results."""
        self._running = True
        try:
            yield
        finally:
            self._running = False
            for timer in self._timers.values():
                timer.cancel()
            self._timers.clear()
            self._latest.clear()
            self._shown_at.clear()

    def progress(self, call_id: str, text: str, details: Mapping[str, Any]) -> None:
        """Show a call's newest line, or keep it until it is time."""
        if not self._running:
            return
        self._latest[call_id] = self._line(text, details)
        if call_id in self._timers:
            return
        wait = self._shown_at.get(call_id, -self._interval_s) + self._interval_s - clock.monotonic()
        if wait <= 0:
            self._show(call_id)
        else:
            self._timers[call_id] = asyncio.get_running_loop().call_later(wait, self._show, call_id)

    def _show(self, call_id: str) -> None:
        self._timers.pop(call_id, None)
        self._shown_at[call_id] = clock.monotonic()
        try:
            self._stream.progress(call_id, self._latest.pop(call_id))
        except Exception as error:  # noqa: BLE001 - raised again to whoever writes the results
            logger.warning("progress could not be shown: %s", place(error))

    def _line(self, text: str, details: Mapping[str, Any]) -> Json:
        try:
            line: Json = canonical({**details, "text": text})
            if len(dumps(line).encode()) <= self._bytes:
                return line
        except (TypeError, ValueError):
            logger.warning("the details of a tool's progress are no JSON")
        return {"text": storable(text)[: self._bytes // 4]}
