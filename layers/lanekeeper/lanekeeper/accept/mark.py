"""A place in all that is kept of a person, as a client hands it back. Pure."""

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# What names a place after an item of each kind.
_FORMS: dict[str, tuple[type, ...]] = {
    "profile": (),
    "note": (datetime, str),
    "conversation": (str,),
    "message": (str, int, str),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """The place just after one item. A client gets it as one opaque URL-safe word."""

    kind: str
    key: tuple[Any, ...] = ()

    def __str__(self) -> str:
        text = json.dumps([self.kind, *(one.isoformat() if isinstance(one, datetime) else one for one in self.key)])
        return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()

    @classmethod
    def read(cls, word: str) -> "Mark":
        """The place that a word names.

        Raises:
            ValueError: it is no word of ours.
        """
        try:
            kind, *key = json.loads(base64.urlsafe_b64decode(word.encode() + b"=="))
            form = _FORMS[kind]
            read = tuple(
                datetime.fromisoformat(one) if wanted is datetime else one
                for wanted, one in zip(form, key, strict=True)
            )
        except (TypeError, KeyError, RecursionError, binascii.Error) as error:
            raise ValueError("not a place") from error
        if not all(_fits(one, wanted) for one, wanted in zip(read, form, strict=True)):
            raise ValueError("not a place")
        return cls(kind, read)


def _fits(value: Any, wanted: type) -> bool:
    if wanted is datetime:
        return isinstance(value, datetime) and value.tzinfo is not None
    if wanted is int:
        return type(value) is int and 0 <= value < 2**31
    return isinstance(value, str) and "\x00" not in value and value.isprintable()
