"""What goes out of a text under the contract, however it is cut into pieces."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from lanekeeper.limits import Limits
from lanekeeper.replies.contract import MARK, Breaks, Contract, Known, Rules, Script

HIDDEN = "For this reply only, and not part of the conversation:"
FACTS = (
    ("link", "https://ok.example.org/a"),
    ("link", "https://ok.example.org/w_(x)?p=1&q=2"),
    ("money", "12.50 EUR"),
    ("date", "Monday 7 December 2026, 14:30"),
    ("reference", "KX42ZP"),
)
WORDS = ("Is it https://mine.example/p?q=1, for 20 EUR?",)


class Said(NamedTuple):
    text: str
    fault: str


def speak(
    text: str | Sequence[str],
    *,
    said: str = "",
    chars: int = 4000,
    messages: int = 3,
    facts: Iterable[tuple[str, str]] = FACTS,
    binding: Iterable[str] = (),
    language: str = "",
    words: Sequence[str] = WORDS,
) -> Said:
    known = Known(lambda: facts, lambda: words, binding)
    rules = Rules(known=known, marks=(MARK, HIDDEN), chars=chars, script=Script(language, " ".join(words), Limits()))
    breaks, contract = Breaks(begun=bool(said)), Contract(rules, messages, said)
    out = ""
    for piece in [text] if isinstance(text, str) else text:
        out += contract.take(breaks.take(piece)) if not contract.fault else ""
    if not contract.fault:
        out += contract.take(breaks.end())
    return Said(out + contract.end(), contract.fault)


def cut(text: str, places: Iterable[int]) -> list[str]:
    edges = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    return [text[begin:end] for begin, end in pairwise(edges)]
