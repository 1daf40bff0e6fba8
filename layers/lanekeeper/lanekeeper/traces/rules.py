"""What a span may say. A name that is not listed here, or a value that could be somebody's words, is left out."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opentelemetry.trace import StatusCode

from lanekeeper.types import Json

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

Value = str | int | float | bool

# By OpenTelemetry's conventions where it has a name for the thing.
ATTRIBUTES = frozenset(
    {
        "error.type",
        "gen_ai.operation.name",
        "gen_ai.request.model",
        "gen_ai.tool.name",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "lanekeeper.agent",
        "lanekeeper.attempt",
        "lanekeeper.failure",
        "lanekeeper.feature",
        "lanekeeper.first_reply_ms",
        "lanekeeper.hard_case",
        "lanekeeper.prompt.sha256",
        "lanekeeper.prompt.version",
        "lanekeeper.queued_ms",
        "lanekeeper.state",
        "lanekeeper.turn",
        "user.id",
    }
)
# Ids, names, versions and hashes look like this; a sentence does not.
_PLAIN = re.compile(r"[\w.:/@-]{1,100}", re.ASCII)


def allowed(attributes: Mapping[str, Value | None]) -> dict[str, Value]:
    """The attributes that may stand in a span."""
    return {
        name: value
        for name, value in attributes.items()
        if name in ATTRIBUTES and (isinstance(value, int | float) or (isinstance(value, str) and is_plain(value)))
    }


def is_plain(text: str) -> bool:
    """Whether a text has the form of an id or a name, so that it may be one."""
    return _PLAIN.fullmatch(text) is not None


def compact(spans: "Sequence[ReadableSpan]", now_ns: int) -> list[Json]:
    """Spans of one trace as they are kept, in the order in which they began, times in microseconds from the first.

    ``parent`` is the place of the parent in the list. A span that is still open ends ``now_ns``.
    """
    ordered = sorted(spans, key=lambda span: span.start_time or 0)
    begun_ns = (ordered[0].start_time or 0) if ordered else 0
    places = {span.context.span_id: place for place, span in enumerate(ordered) if span.context}
    return [_row(span, places, begun_ns, now_ns) for span in ordered]


def _row(span: "ReadableSpan", places: Mapping[int, int], begun_ns: int, now_ns: int) -> Json:
    start_ns = span.start_time or begun_ns
    row: dict[str, Any] = {
        "name": span.name,
        "start_us": (start_ns - begun_ns) // 1000,
        "us": ((span.end_time or now_ns) - start_ns) // 1000,
    }
    if span.parent is not None and span.parent.span_id in places:
        row["parent"] = places[span.parent.span_id]
    if span.status.status_code is StatusCode.ERROR:
        row["error"] = True
    if span.attributes:
        row["attributes"] = dict(span.attributes)
    return row
