"""Facts of a reply: amounts, dates and references that tools gave are repeated as they are, never rewritten (E2)."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property

_CURRENCY = r"(?:[€$£¥₹]|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|BRL|MXN|PLN|SEK|NOK|DKK|CZK|CAD|AUD|euros?|dollars?|pounds?)\b)"
_DIGITS = r"\d(?:(?:[.,'\u2019\u00a0\u202f]|[ ](?=\d{3}(?!\d)))?\d)*"
_MONTH = (
    r"(?:jan|feb|fév|mar|mär|abr|apr|avr|may|mai|mag|jun|juin|giu|jul|juil|lug|aug|ago|août|set|sep|oct|okt|ott|out|"
    r"nov|dec|dez|dic|déc|ene|gen)[^\W\d_]*"
)
_WRITTEN = {
    "money": re.compile(
        rf"(?<![\w]){_CURRENCY}[ \u00a0]?{_DIGITS}|(?<![\w.,]){_DIGITS}[ \u00a0\u202f]?{_CURRENCY}", re.IGNORECASE
    ),
    "date": re.compile(
        rf"(?<![\w-])(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\d{{1,2}}:\d\d"
        rf"|\d{{1,2}}(?:\.|st|nd|rd|th|º|er)? (?:de |of )?{_MONTH}|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?)(?![\w-])",
        re.IGNORECASE,
    ),
    "reference": re.compile(r"(?<![\w-])(?=[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{2,}[A-Z0-9](?![\w-])"),
}
_OPEN = re.compile(r"(?<![\w.,])\d(?:\S|[ \u00a0](?=\d)){0,24}[ \u00a0](?:(?:de|of) )?\Z", re.IGNORECASE)


class Known:
    """What a reply may say: the facts of its conversation, and the words of its person. Looked up when first needed.

    Args:
        facts: kind and text of every fact that the conversation's tools gave.
        words: what the person wrote, and what else the model was told of time and place.
        binding: the kinds of which this turn's tools gave facts: only these are checked.
    """

    def __init__(
        self,
        facts: Callable[[], Iterable[tuple[str, str]]] = tuple,
        words: Callable[[], Iterable[str]] = tuple,
        binding: Iterable[str] = (),
    ) -> None:
        self._facts = facts
        self._words = words
        self.binding = frozenset(binding)

    @cached_property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Every fact, its text in single blanks."""
        return tuple((kind, _plain(text)) for kind, text in self._facts())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The person's words, in single blanks."""
        return tuple(map(_plain, self._words()))

    @cached_property
    def links(self) -> frozenset[str]:
        """The links of tools, and those that the person wrote."""
        written = (
            link.rstrip(".,;:!?)]}>'\"*_") for text in self.words for link in re.findall(r"https?://[^\s<>]+", text)
        )
        return frozenset({text for kind, text in self.lines if kind == "link"} | set(written))

    def holds(self, kind: str, value: str) -> bool:
        """Whether a value stands in a fact of its kind or in the person's words, letter for letter."""
        whole = re.compile(rf"(?<![\w]){re.escape(_plain(value))}(?![\w]|[.,]\d)")
        lines = (text for known, text in self.lines if known == kind)
        return any(whole.search(text) for text in (*lines, *self.words))


def offence(view: str, begin: int, known: Known) -> bool:
    """Whether a text that ends with a whole word gives a value that is not known, ending behind ``begin``."""
    return any(
        found.end() > begin and _is_one(kind, found.group(), known) and not known.holds(kind, found.group())
        for kind in known.binding & _WRITTEN.keys()
        for found in _WRITTEN[kind].finditer(view)
    )


def undecided(view: str, known: Known) -> int:
    """Where a number starts whose unit may follow; the length of the text if nowhere."""
    if not known.binding & {"money", "date"}:
        return len(view)
    found = _OPEN.search(view)
    return found.start() if found else len(view)


def _is_one(kind: str, value: str, known: Known) -> bool:
    # What else looks like a reference has another form: a model's slip keeps it.
    return kind != "reference" or any(k == kind and _form(text) == _form(value) for k, text in known.lines)


def _form(reference: str) -> tuple[int, bool]:
    return len(reference), any(char.isalpha() for char in reference)


def _plain(text: str) -> str:
    return " ".join(text.split())
