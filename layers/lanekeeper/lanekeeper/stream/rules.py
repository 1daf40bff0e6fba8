"""How a chunk looks on the wire, and when a stream is over. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lanekeeper.types import Json

HEADERS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-vercel-ai-ui-message-stream", b"v1"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
)
DONE = b"data: [DONE]\n\n"
OPENED = b": open\n\n"
FLUSH = b":\n\n"
KEEP_ALIVE = b": keep-alive\n\n"
# Followed by [DONE] although the turn goes on: coming back would in turn replace the newer stream.
REPLACED = b": replaced by a newer stream\n\n"

LAST_TYPES = frozenset({"finish", "abort", "error"})

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


def event(seq: int | None, chunk: Json) -> bytes:
    """One server-sent event: the chunk as JSON on one line, with its ``seq`` as the id to resume from.

    Everything but printable ASCII is escaped. So no client can take a character of the text for the end of a
    line, not even one that splits at U+2028, U+0085 or U+001C.
    """
    data = f"data: {_encode(chunk)}\n\n"
    return (data if seq is None else f"id: {seq}\n{data}").encode("ascii")


def is_last(chunk: Mapping[str, Any]) -> bool:
    """Whether a message ends with this chunk."""
    return chunk.get("type") in LAST_TYPES


def unbroken(rows: Iterable[Mapping[str, Any]], after: int) -> Iterator[tuple[int, Json]]:
    """The ``(seq, chunk)`` that follow ``after`` without a gap. One writer counts, so there should be none."""
    for expected, row in enumerate(rows, after + 1):
        if row["seq"] != expected:
            return
        yield expected, row["chunk"]
