"""A result cut down to what a model should read (O6)."""

import re
from collections.abc import Iterator
from typing import Any

from lanekeeper.mainline.text import dumps
from lanekeeper.types import Json

_LINK = re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE)
_LENGTHS = (1200, 800, 600, 400, 300, 200, 120, 60)
_COUNTS = (20, 10, 5, 4, 3, 2, 1)

TRIMMED = "trimmed"


def fit(result: Json, limit: int) -> Json:
    """The result, within ``limit`` bytes of JSON. What was cut says so, by a field ``trimmed`` at its end.

    Long texts are shortened first, then lists lose their last items. A link is never cut: half of one leads elsewhere.
    """
    if _size(result) <= limit:
        return result
    for cut in _attempts(result):
        shortened: Json = {**cut, TRIMMED: True}
        if _size(shortened) <= limit:
            return shortened
    return {TRIMMED: True}


def _attempts(result: Json) -> Iterator[Json]:
    for length in _LENGTHS:
        yield _cut(result, length, _COUNTS[0])
    for count in _COUNTS:
        yield _cut(result, _LENGTHS[-1], count)


def _cut(value: Any, length: int, count: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= length or _LINK.fullmatch(value) else _shorten(value, length)
    if isinstance(value, list):
        return [_cut(item, length, count) for item in value[:count]]
    if isinstance(value, dict):
        return {key: _cut(item, length, count) for key, item in value.items()}
    return value


def _shorten(text: str, length: int) -> str:
    """The beginning of a text, up to the last whole word, with an ellipsis."""
    beginning = text[: length - 1]
    whole, space, _ = beginning.rpartition(" ")
    return (whole if space and len(whole) > length // 2 else beginning).rstrip() + "…"


def _size(value: Any) -> int:
    return len(dumps(value).encode())
