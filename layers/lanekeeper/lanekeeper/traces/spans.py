"""Opens spans below the turn at work."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from lanekeeper.traces.rules import Value, allowed, is_plain


class Opened:
    """A span that has begun. It takes no exception and no text, only attributes that a span may have.

    ``parent`` is its parent's place among the turn's spans, None for the turn itself; times are nanoseconds since 1970.
    """

    __slots__ = ("attributes", "begun_ns", "ended_ns", "failed", "name", "parent", "place", "remote", "turn")

    def __init__(
        self, turn: list["Opened"], name: str, parent: int | None, attributes: dict[str, Value], *, remote: bool
    ) -> None:
        self.turn = turn
        self.place = len(turn)
        self.name = name
        self.parent = parent
        self.attributes = attributes
        self.remote = remote
        self.failed = False
        self.begun_ns = time.time_ns()
        self.ended_ns: int | None = None
        turn.append(self)

    def note(self, attributes: Mapping[str, Value | None]) -> None:
        """Add attributes. Those that are not allowed are left out."""
        self.attributes.update(allowed(attributes))

    def fail(self, kind: str = "") -> None:
        """Mark it as failed. ``kind`` is a short word or the name of an exception's class."""
        self.failed = True
        if kind:
            self.note({"error.type": kind})

    def end(self) -> None:
        """It is over."""
        self.ended_ns = time.time_ns()


# The span at work. Tasks that a turn starts inherit it.
current: ContextVar[Opened | None] = ContextVar("lanekeeper_span", default=None)


def begin(name: str, attributes: Mapping[str, Value | None], *, remote: bool = False) -> Opened:
    """Begin a span that whoever holds it ends. Others that begin meanwhile do not become its children.

    ``remote`` tells that the work is done by somebody else, such as a model.
    """
    above = current.get()
    turn, parent = (above.turn, above.place) if above else ([], None)
    return Opened(turn, _named(name), parent, allowed(attributes), remote=remote)


@contextmanager
def span(
    name: str,
    attributes: Mapping[str, Value | None] | None = None,
    *,
    outcomes: tuple[type[BaseException], ...] = (),
) -> Iterator[Opened]:
    """A span around a block. An exception that leaves the block marks it as failed, by its class alone.

    ``outcomes`` are exceptions that tell how the block ended well.
    """
    opened = begin(name, attributes or {})
    before = current.set(opened if opened.parent is not None else None)
    try:
        yield opened
    except outcomes:
        raise
    except BaseException as error:
        opened.fail(type(error).__name__)
        raise
    finally:
        opened.end()
        current.reset(before)


def _named(name: str) -> str:
    # A model may ask for a tool by any name.
    return name if all(is_plain(word) for word in name.split(" ", 1)) else "unnamed"
