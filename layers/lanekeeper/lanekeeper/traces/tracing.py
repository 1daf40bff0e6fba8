"""Where the spans of an environment go: into the database with the turn's end, or out to one collector."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace import Span as RecordingSpan
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span, StatusCode, Tracer

from lanekeeper.redact import hashed, place
from lanekeeper.traces.compact import packed
from lanekeeper.traces.rules import ATTRIBUTES, Value, allowed
from lanekeeper.traces.spans import Opened, current_trace, current_tracer
from lanekeeper.types import Json

logger = logging.getLogger(__name__)

# A collector that is away must not fill the memory of a worker that is busy.
SPANS_HELD = 2000


class Collector(Protocol):
    """Takes spans to another system."""

    def send(self, spans: Sequence[ReadableSpan]) -> bool:
        """Send them; whether they arrived. Blocks, for a bounded time."""


class Tracing:
    """The one provider of an environment's traces.

    Args:
        environment: its name, told to the collector.
        collector: where finished spans are sent. None: each turn's are kept in the database.
    """

    def __init__(self, environment: str, collector: Collector | None = None) -> None:
        self._collector = collector
        self._spans = _Spans()
        # Everything is named here, so that no variable of the environment changes it.
        provider = TracerProvider(
            sampler=ALWAYS_ON,
            span_limits=SpanLimits(max_span_attributes=len(ATTRIBUTES)),
            resource=Resource({"service.name": "lanekeeper", "deployment.environment.name": environment}),
            shutdown_on_exit=False,
        )
        provider.add_span_processor(self._spans)
        self._tracer: Tracer = provider.get_tracer("lanekeeper")

    @contextmanager
    def turn(self, user_id: str, attributes: dict[str, Value | None]) -> Iterator["TurnTrace"]:
        """The span of one turn, around all that is opened below it. Turns run one after the other.

        The person stands in it as a hash.
        """
        if self._collector is None:
            self._spans.clear()
        with self._tracer.start_as_current_span(
            "turn",
            attributes=allowed({**attributes, "user.id": hashed(user_id)}),
            record_exception=False,
            set_status_on_exception=False,
        ) as root:
            trace = TurnTrace(root, self._spans if self._collector is None else None)
            tracer, current = current_tracer.set(self._tracer), current_trace.set(trace)
            try:
                yield trace
            except BaseException as error:
                trace.fail(type(error).__name__)
                raise
            finally:
                current_tracer.reset(tracer)
                current_trace.reset(current)

    async def flush(self) -> None:
        """Send what waits. A collector that fails costs the spans, nothing else."""
        if self._collector is None or not (spans := self._spans.take()):
            return
        try:
            arrived = await asyncio.to_thread(self._collector.send, spans)
        except Exception as error:  # noqa: BLE001 - whatever it is, no turn may suffer from it
            logger.warning("traces could not be sent: %s", place(error))
        else:
            if not arrived:
                logger.warning("the collector of traces did not take %d spans", len(spans))


class TurnTrace(Opened):
    """The trace of the turn at work."""

    __slots__ = ("_context", "_spans")

    def __init__(self, root: Span, spans: "_Spans | None") -> None:
        super().__init__(root)
        self._context = root.get_span_context()
        self._spans = spans

    def row(self) -> Json | None:
        """The trace until now as the database keeps it, or None where spans are sent elsewhere."""
        if self._spans is None:
            return None
        # By the clock that OpenTelemetry times spans with.
        spans = _kept([*self._spans.open.values(), *self._spans.finished], time.time_ns())
        return {"trace_id": f"{self._context.trace_id:032x}", "spans": spans}


class _Spans(SpanProcessor):
    """Holds spans: those that are open, and those that are over; of these the oldest go when there are too many."""

    def __init__(self) -> None:
        self.open: dict[int, ReadableSpan] = {}
        self.finished: deque[ReadableSpan] = deque(maxlen=SPANS_HELD)

    def on_start(self, span: RecordingSpan, parent_context: Context | None = None) -> None:
        self.open[span.get_span_context().span_id] = span

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is not None:
            self.open.pop(span.context.span_id, None)
        self.finished.append(span)

    def take(self) -> list[ReadableSpan]:
        spans = list(self.finished)
        self.finished.clear()
        return spans

    def clear(self) -> None:
        self.open.clear()
        self.finished.clear()


def _kept(spans: Sequence[ReadableSpan], now_ns: int) -> list[list[Any]]:
    """The spans of one trace as they are kept, in the order in which they began. One that is open ends now."""
    ordered = sorted(spans, key=lambda span: span.start_time or 0)
    begun_ns = (ordered[0].start_time or 0) if ordered else 0
    places = {span.context.span_id: place for place, span in enumerate(ordered) if span.context}
    return [
        packed(
            span.name,
            places.get(span.parent.span_id) if span.parent else None,
            ((span.start_time or begun_ns) - begun_ns) // 1000,
            ((span.end_time or now_ns) - (span.start_time or begun_ns)) // 1000,
            failed=span.status.status_code is StatusCode.ERROR,
            attributes=span.attributes or {},
        )
        for span in ordered
    ]
