"""What a person asks of memory in so many words, told by word lists: whether something is to be forgotten. Pure."""

import re
import tomllib
from functools import cache
from pathlib import Path

from lanekeeper.memory.rules import bare

# A wish stands near the beginning or the end of what somebody writes, never after a page of something else.
_MOST_CHARS = 2_000
_CLAUSE = r"(?:^|[.,;:!?()\n\"\u2026\u00a1\u00bf-]\s*)"


def asks_to_forget(text: str) -> bool:
    """Whether a message asks for something to be forgotten, in one of the languages of the fixed lines.

    Memory then keeps silent for the reply: looking up what is to be forgotten would put it before the model (W4).
    """
    near = text if len(text) <= 2 * _MOST_CHARS else f"{text[:_MOST_CHARS]}\n{text[-_MOST_CHARS:]}"
    return _wish().search(bare(near)) is not None


@cache
def _wish() -> re.Pattern[str]:
    ways: list[str] = []
    for words in tomllib.loads(Path(__file__).with_name("wishes.toml").read_text(encoding="utf-8")).values():
        if words["orders"]:
            leads = "|".join(words["leads"].split())
            ways.append(rf"(?:{_CLAUSE}|\b(?:{leads})\s+)(?:{'|'.join(words['orders'])})")
        ways += words["asks"]
    return re.compile("|".join(f"(?:{way})" for way in ways))
