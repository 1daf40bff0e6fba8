"""Text that can be stored. Postgres takes neither NUL nor half a surrogate pair, and models do send them."""

import json
import math
import re
from typing import Any

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with surrogate halves joined, lone ones replaced, and NUL left out."""
    if not _UNSTORABLE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")


class StorableText:
    """Text that comes in pieces. A surrogate pair cut in two by the pieces is joined again."""

    def __init__(self) -> None:
        self._half = ""

    def take(self, piece: str) -> str:
        """What can be passed on now."""
        piece, self._half = self._half + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._half = piece[:-1], piece[-1]
        return storable(piece)

    def end(self) -> str:
        """What was held back and never completed."""
        piece, self._half = self._half, ""
        return storable(piece)


def canonical(value: Any) -> Any:
    """JSON data in the one form it keeps through jsonb and back: keys sorted, whole floats as integers, storable.

    So a call that a model made is sent back in the same bytes within its turn and after a reload (C1, B072).
    """
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {storable(key): canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return value


def dumps(value: Any) -> str:
    """The one way JSON is written for a model."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def loads(text: str) -> Any:
    """JSON as the standard has it: no NaN, no Infinity, in canonical form.

    Raises:
        ValueError: the text is no JSON.
    """
    return canonical(json.loads(text, parse_constant=_refuse, parse_float=_finite))


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("the number is too large")
    return number
