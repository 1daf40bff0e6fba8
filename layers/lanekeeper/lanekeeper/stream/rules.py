"""How a chunk looks on the wire, and when a stream is over. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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

_LAST_WORDS = tuple(f'"{kind}"' for kind in LAST_TYPES)
_UNPLAIN = re.compile(r"[^ -~]")

encoded = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


def event(seq: int | None, chunk: str) -> bytes:
    """One server-sent event: the chunk, which is JSON on one line, with its ``seq`` as the id to resume from.

    Everything but printable ASCII is escaped. So no client can take a character of the text for the end of a
    line, not even one that splits at U+2028, U+0085 or U+001C.
    """
    if not (chunk.isascii() and chunk.isprintable()):
        # In JSON from Postgres such characters stand in strings only, where an escape means the same.
        chunk = _UNPLAIN.sub(_escape, chunk)
    data = f"data: {chunk}\n\n"
    return (data if seq is None else f"id: {seq}\n{data}").encode("ascii")


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def is_last(chunk: str) -> bool:
    """Whether a message ends with this chunk."""
    # Hardly any chunk holds one of the words, so hardly any is parsed.
    return any(word in chunk for word in _LAST_WORDS) and json.loads(chunk).get("type") in LAST_TYPES


def unbroken(rows: Iterable[Mapping[str, Any]], after: int) -> Iterator[tuple[int, str]]:
    """The ``(seq, chunk)`` that follow ``after`` without a gap. One writer counts, so there should be none."""
    for expected, row in enumerate(rows, after + 1):
        if row["seq"] != expected:
            return
        yield expected, row["chunk"]


def pause(silence_s: float, poll_ms: float) -> float:
    """Seconds until a polling stream looks again, after so long a silence.

    A stream in flow looks every ``poll_ms``. One that waits looks less often the longer it waits, and learns what ends
    the silence later by at most a fifth of it: many streams poll just when many turns stand in line.
    """
    return max(poll_ms / 1000, silence_s / 5)
