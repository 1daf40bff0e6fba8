"""A person's own words told back to them, or told of them. English is turned; other languages are quoted."""

import re
from functools import cache

from tests.devkit.mainline.demo import language

_TO_THEM = {
    "i am": "you are", "am i": "are you", "i'm": "you're", "i was": "you were", "i've": "you've", "i'll": "you'll",
    "i'd": "you'd", "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "we": "you",
    "we're": "you're", "we've": "you've", "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves",
}  # fmt: skip
_OF_THEM = {
    "i am": "they are", "am i": "are they", "i'm": "they're", "i was": "they were", "i've": "they've",
    "i'll": "they'll", "i'd": "they'd", "i": "they", "me": "them", "my": "their", "mine": "theirs",
    "myself": "themselves", "we": "they", "we're": "they're", "we've": "they've", "us": "them", "our": "their",
    "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip
_OWN = {
    "they are": "i am", "they're": "i'm", "they were": "i was", "they've": "i've", "they'll": "i'll",
    "they'd": "i'd", "they": "I", "them": "me", "their": "my", "theirs": "mine", "themselves": "myself",
}  # fmt: skip
_FROM_SUMMARY = {
    "they": "you", "they're": "you're", "they've": "you've", "they'll": "you'll", "they'd": "you'd", "them": "you",
    "their": "your", "theirs": "yours", "themselves": "yourself",
}  # fmt: skip

_ENGLISH = re.compile(r"\b(?:i|i'm|i've|i'll|my|we|our|me)\b", re.IGNORECASE)
_STARTS = re.compile(r"^(?:You|Your|Yours|They|Their|Theirs|The|A|An|It|From|In|On|For)\b")
SAID = "The person said: “{}”"
_QUOTED = re.compile(r"^The person said: “(.+)”$", re.DOTALL)


def to_them(fact: str) -> str | None:
    """``My sister is called Ana`` as ``your sister is called Ana``; None when it cannot be turned so."""
    if quoted(fact) is not None or language.detect(fact, "en") != "en" or not _ENGLISH.search(fact):
        return None
    return _inside(_turned(fact, _TO_THEM))


def of_them(fact: str) -> str:
    """``My sister is called Ana`` as ``Their sister is called Ana``, as a summary tells it."""
    if language.detect(fact, "en") != "en" or not _ENGLISH.search(fact):
        return SAID.format(fact)
    told = _turned(fact, _OF_THEM)
    return told[:1].upper() + told[1:]


def from_summary(line: str) -> str | None:
    """A summary's line told to the person; None when it only quotes."""
    return None if quoted(line) is not None else _inside(_turned(line, _FROM_SUMMARY))


def quoted(line: str) -> str | None:
    """The words that a line of a summary quotes, if it does."""
    found = _QUOTED.match(line)
    return found.group(1) if found else None


def own(line: str) -> str:
    """A summary's line as the person may have said it, for looking at what it is about."""
    said = quoted(line)
    return said if said is not None else _turned(line, _OWN)


def _inside(told: str) -> str:
    """In the middle of a sentence: a small letter where the large one only began the sentence."""
    return told[:1].lower() + told[1:] if _STARTS.match(told) else told


def _turned(text: str, table: dict[str, str]) -> str:
    def turn(found: re.Match[str]) -> str:
        said = found.group()
        told = table[said.casefold()]
        return told[:1].upper() + told[1:] if found.start() == 0 and said[0].isupper() else told

    return _either(tuple(table)).sub(turn, text.replace("\u2019", "'"))


@cache
def _either(said: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(said, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b(?!')", re.IGNORECASE)
