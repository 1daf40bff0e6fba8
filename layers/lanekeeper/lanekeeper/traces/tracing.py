"""Where the spans of an environment go: into the database with the turn's end, or out to one collector."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from lanekeeper.limits import Limits
from lanekeeper.redact import hashed, place
from lanekeeper.traces.compact import packed
from lanekeeper.traces.rules import Value, allowed
from lanekeeper.traces.spans import Opened, current

logger = logging.getLogger(__name__)


class Collector(Protocol):
    """Takes traces to another system."""

    def send(self, traces: Sequence[Sequence[Opened]]) -> bool:
        """Send the spans of some turns, all of them over; whether they arrived. Blocks, for a bounded time."""


class Tracing:
    """The one provider of an environment's traces.

    Args:
        collector: where the spans of finished turns are sent. None: they are kept in the database.
        held: for how many turns they wait. A collector that is away must not fill the memory of a busy worker.
    """

    def __init__(self, collector: Collector | None = None, *, held: int = Limits().traces_held) -> None:
        self._collector = collector
        self._waiting: deque[list[Opened]] = deque(maxlen=held)

    @contextmanager
    def turn(self, user_id: str, attributes: Mapping[str, Value | None]) -> Iterator["TurnTrace"]:
        """The span of one turn, around all that is opened below it. The person stands in it as a hash."""
        root = TurnTrace(allowed({**attributes, "user.id": hashed(user_id)}), kept=self._collector is None)
        before = current.set(root)
        try:
            yield root
        except BaseException as error:
            root.fail(type(error).__name__)
            raise
        finally:
            root.end()
            current.reset(before)
            if self._collector is not None:
                self._waiting.append(root.turn)

    async def flush(self) -> None:
        """Send what waits. A collector that fails costs the traces, nothing else."""
        if self._collector is None or not self._waiting:
            return
        traces = list(self._waiting)
        self._waiting.clear()
        for opened in (one for trace in traces for one in trace if one.ended_ns is None):
            opened.end()
        try:
            arrived = await asyncio.to_thread(self._collector.send, traces)
        except Exception as error:  # noqa: BLE001 - whatever it is, no turn may suffer from it
            logger.warning("traces could not be sent: %s", place(error))
        else:
            if not arrived:
                logger.warning("the collector did not take the traces of %d turns", len(traces))


class TurnTrace(Opened):
    """The span of the turn at work, with all that was opened below it.

    ``kept`` tells that the database is where it goes.
    """

    __slots__ = ("kept",)

    def __init__(self, attributes: dict[str, Value], *, kept: bool) -> None:
        super().__init__([], "turn", None, attributes, remote=False)
        self.kept = kept

    def packed(self) -> list[list[Any]]:
        """The spans until now as the database keeps them. One that is open ends now."""
        now_ns = time.time_ns()
        return [
            packed(
                opened.name,
                opened.parent,
                (opened.begun_ns - self.begun_ns) // 1000,
                ((opened.ended_ns or now_ns) - opened.begun_ns) // 1000,
                failed=opened.failed,
                attributes=opened.attributes,
            )
            for opened in self.turn
        ]


def current_turn() -> TurnTrace | None:
    """The turn at work."""
    above = current.get()
    root = above.turn[0] if above else None
    return root if isinstance(root, TurnTrace) else None
