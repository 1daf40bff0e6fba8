"""A statement's text cut at its parameters, so that it is read once and then only filled in."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

_PARAMETER = re.compile(r"%\((\w+)\)s")
_COMMENT = re.compile(r"^\s*--.*\n?", re.MULTILINE)
_END = re.compile(r";\s*(?:\n|\Z)")
# What Postgres can prepare.
_PREPARABLE = ("select", "insert", "update", "delete", "with", "merge")

Quote = Callable[[Any], bytes]


class Wording:
    """One statement.

    Args:
        text: with parameters as ``%(name)s``, and ``%%`` for a percent sign.
    """

    __slots__ = ("_pieces", "_places", "names", "preparable", "text")

    def __init__(self, text: str) -> None:
        cut = _PARAMETER.split(text)
        self._pieces = [piece.replace("%%", "%").encode() for piece in cut[::2]]
        self._places = cut[1::2]
        self.text = text
        self.names = tuple(dict.fromkeys(self._places))
        self.preparable = text.lstrip("( ").lower().startswith(_PREPARABLE)

    def filled_in(self, parameters: Mapping[str, Any], quote: Quote) -> bytes:
        """The statement with its parameters put in as literals."""
        return self._with({name: quote(parameters[name]) for name in self.names})

    def numbered(self) -> bytes:
        """The statement as ``prepare`` wants it: its parameters are ``$1``, ``$2`` in the order of ``names``."""
        return self._with({name: b"$%d" % number for number, name in enumerate(self.names, 1)})

    def _with(self, values: Mapping[str, bytes]) -> bytes:
        filled = [self._pieces[0]]
        for name, piece in zip(self._places, self._pieces[1:], strict=True):
            filled += (values[name], piece)
        return b"".join(filled)


@lru_cache(maxsize=1024)
def wordings(text: str) -> tuple[Wording, ...]:
    """The statements in a text, without the comments: they end with a semicolon at the end of a line."""
    parts = (part.strip() for part in _END.split(_COMMENT.sub("", text)))
    return tuple(Wording(part) for part in parts if part)
