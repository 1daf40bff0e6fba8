"""Who a turn is for and how it began, for the log and the trace while it lasts."""

from collections.abc import Iterator
from contextlib import contextmanager

from lanekeeper.log import name_person
from lanekeeper.traces import Value
from lanekeeper.traces.tracing import Tracing
from lanekeeper.turn.intake import Turn

__all__ = ["Tracing", "traced"]


@contextmanager
def traced(turn: Turn, tracing: Tracing) -> Iterator[None]:
    """Let every span that comes meanwhile belong to a turn, and every line of the log until its person is forgotten."""
    name_person(turn.hold.user_id, turn=turn.id)
    attributes: dict[str, Value | None] = {
        "lanekeeper.turn": turn.id,
        "lanekeeper.attempt": turn.attempt,
        "lanekeeper.agent": turn.agent_id,
        "lanekeeper.queued_ms": round(turn.waited_s * 1000, 1),
    }
    with tracing.turn(turn.hold.user_id, attributes):
        yield
