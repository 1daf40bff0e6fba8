"""Whether a message asks, in so many words, for what it says to be kept. Pure."""

import re
import tomllib
from functools import cache
from pathlib import Path

from lanekeeper.memory.rules import bare

_CLAUSE = r"(?:^|[.,;:!?()\n\"\u2026\u00a1\u00bf\u3001\u3002-]\s*)"


def asks_to_keep(said: str) -> bool:
    """Whether a message asks for that, in one of the languages of the fixed lines.

    Only then may health details that it holds be kept (W5). It is told by word lists and not by a model, so that no
    answer of a model can claim it.
    """
    return _wish().search(bare(said)) is not None


@cache
def _wish() -> re.Pattern[str]:
    ways: list[str] = []
    for words in tomllib.loads(Path(__file__).with_name("asking.toml").read_text(encoding="utf-8")).values():
        if words["orders"]:
            leads = "|".join(words["leads"].split())
            ways.append(rf"(?:{_CLAUSE}|\b(?:{leads})\s+)(?:{'|'.join(words['orders'])})")
        ways += words["asks"]
    return re.compile("|".join(f"(?:{way})" for way in ways))
