"""What a limit is, and how environment variables change it."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, TypeVar

N = TypeVar("N", int, float)
_PREFIX = "LIMIT_"


def limit(default: N, rule: str, unit: str) -> N:
    """A field that holds a number, with the rule that it serves."""
    return dataclasses.field(default=default, metadata={"rule": rule, "unit": unit})


def changed(limits: type[Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a class of limits that ``LIMIT_...`` variables set, each as a number of its own kind.

    Raises:
        ValueError: a variable names no limit, or is no number of zero or more, or no whole one where counts are.
    """
    known = {field.name: field.type for field in dataclasses.fields(limits)}
    found: dict[str, Any] = {}
    for variable, text in environment.items():
        if not variable.startswith(_PREFIX):
            continue
        name = variable.removeprefix(_PREFIX).lower()
        if name not in known:
            raise ValueError(f"{variable} names no limit")
        found[name] = _number(variable, text, whole=known[name] is int)
    return found


def _number(variable: str, text: str, *, whole: bool) -> int | float:
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = -1
    if number < 0 or not math.isfinite(number):
        raise ValueError(f"{variable} must be a {'whole ' if whole else ''}number of zero or more")
    return number
