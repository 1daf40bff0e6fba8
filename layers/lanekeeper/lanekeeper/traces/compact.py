"""The form in which a turn's spans are kept in the database: small, since every turn writes one."""

from collections.abc import Mapping, Sequence
from typing import Any

from lanekeeper.types import Json

# Long names that every turn would write again. The others are kept as they are.
_SHORT = {
    "error.type": "error",
    "gen_ai.operation.name": "feature",
    "gen_ai.request.model": "model",
    "gen_ai.tool.name": "tool",
    "gen_ai.usage.cache_read.input_tokens": "cached",
    "gen_ai.usage.input_tokens": "input",
    "gen_ai.usage.output_tokens": "output",
    "lanekeeper.failure": "failure",
    "lanekeeper.hard_case": "hard_case",
    "lanekeeper.prompt.sha256": "prompt_sha256",
    "lanekeeper.prompt.version": "prompt_version",
    "lanekeeper.state": "state",
    "user.id": "user",
}
_LONG = {short: name for name, short in _SHORT.items()}
# The row of the turn, beside which the trace is kept, has these.
_OF_THE_TURN = frozenset(
    {
        "lanekeeper.agent",
        "lanekeeper.attempt",
        "lanekeeper.first_reply_ms",
        "lanekeeper.queued_ms",
        "lanekeeper.turn",
    }
)


def packed(
    name: str, parent: int | None, start_us: int, us: int, *, failed: bool, attributes: Mapping[str, Any]
) -> list[Any]:
    """A span as it is kept: ``[name, parent, start, duration, failed, attributes]``, without the ends that say nothing.

    ``parent`` is its parent's place among the turn's spans; times are in microseconds, the start from the turn's.
    """
    kept = {_SHORT.get(key, key): value for key, value in attributes.items() if key not in _OF_THE_TURN}
    row: list[Any] = [name, -1 if parent is None else parent, start_us, us, int(failed), kept]
    if not kept:
        row.pop()
        if not failed:
            row.pop()
    return row


def unpacked(rows: Sequence[Sequence[Any]]) -> list[Json]:
    """Kept spans with names for everything, attributes by OpenTelemetry's."""
    return [_unpacked(row) for row in rows]


def _unpacked(row: Sequence[Any]) -> Json:
    whole: list[Any] = [*row, *[0, {}][len(row) - 4 :]]
    name, parent, start_us, us, failed, attributes = whole
    return {
        "name": name,
        "parent": None if parent < 0 else parent,
        "start_us": start_us,
        "us": us,
        "error": bool(failed),
        "attributes": {_LONG.get(key, key): value for key, value in attributes.items()},
    }
