"""Values that several rooms pass to one another."""

import secrets
import time
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(kind: str) -> str:
    """A fresh URL-safe id such as ``turn_01jdq3k7zr8w...``: kind, then time, then chance.

    Ids of one kind sort roughly by the time they were made, so that index pages fill in order.
    """
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    digits = []
    for _ in range(26):
        digits.append(_ALPHABET[value & 31])
        value >>= 5
    return f"{kind}_{''.join(reversed(digits))}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The fixed part of an agent's prompt, with the version that traces name."""

    text: str
    version: str
    sha256: str
