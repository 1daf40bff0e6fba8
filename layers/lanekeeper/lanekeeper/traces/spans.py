"""Opens spans below the turn at work."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer

from lanekeeper.traces.rules import Value, allowed, is_plain

if TYPE_CHECKING:
    from lanekeeper.traces.tracing import TurnTrace

# The turn at work. Tasks that it starts inherit both.
current_tracer: ContextVar[Tracer | None] = ContextVar("lanekeeper_tracer", default=None)
current_trace: "ContextVar[TurnTrace | None]" = ContextVar("lanekeeper_trace", default=None)


class Opened:
    """A span that has begun. It takes no exception and no text, only attributes that a span may have."""

    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def note(self, attributes: dict[str, Value | None]) -> None:
        """Add attributes. Those that are not allowed are left out."""
        self._span.set_attributes(allowed(attributes))

    def fail(self, kind: str = "") -> None:
        """Mark it as failed. ``kind`` is a short word or the name of an exception's class."""
        if kind:
            self.note({"error.type": kind})
        self._span.set_status(StatusCode.ERROR)

    def end(self) -> None:
        """It is over."""
        self._span.end()


_NOTHING = Opened(trace.INVALID_SPAN)


def begin(name: str, attributes: dict[str, Value | None], *, remote: bool = False) -> Opened:
    """Begin a span that whoever holds it ends. Others that begin meanwhile do not become its children.

    ``remote`` tells that the work is done by somebody else, such as a model.
    """
    tracer = current_tracer.get()
    if tracer is None:
        return _NOTHING
    kind = SpanKind.CLIENT if remote else SpanKind.INTERNAL
    return Opened(tracer.start_span(_named(name), kind=kind, attributes=allowed(attributes)))


@contextmanager
def span(
    name: str, attributes: dict[str, Value | None] | None = None, *, outcomes: tuple[type[BaseException], ...] = ()
) -> Iterator[Opened]:
    """A span around a block. An exception that leaves the block marks it as failed, by its class alone.

    ``outcomes`` are exceptions that tell how the block ended well.
    """
    tracer = current_tracer.get()
    if tracer is None:
        yield _NOTHING
        return
    # Left to itself, OpenTelemetry would keep the text of the exception, which may quote anyone.
    with tracer.start_as_current_span(
        _named(name), attributes=allowed(attributes or {}), record_exception=False, set_status_on_exception=False
    ) as started:
        opened = Opened(started)
        try:
            yield opened
        except outcomes:
            raise
        except BaseException as error:
            opened.fail(type(error).__name__)
            raise


def _named(name: str) -> str:
    # A model may ask for a tool by any name.
    return name if all(is_plain(word) for word in name.split(" ", 1)) else "unnamed"
