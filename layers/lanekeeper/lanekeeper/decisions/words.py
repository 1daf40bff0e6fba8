"""Word lists, for the turns in which nobody else answered in time. They know the plain ways of saying a thing only.

A pattern is words in their order. ``a|b`` is either word, ``a_b`` both one after the other, a ``*`` at a word's end any
ending, ``~`` up to three words of any kind. A pattern in Chinese or Japanese is a regular expression that matches
wherever its characters stand, ``~`` being up to eight of any kind.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lanekeeper.mainline.questions import Answer, Answers

_MARKS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile("['`\u00b4\u02bc\u2019]")
_APART = re.compile(r"[^\w]+|_+")
_DRAWN_OUT = re.compile(r"([a-z])\1{2,}")
_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_WIDE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
# A language is believed when this many of its small words stand in the text, and more than of any other.
_TELLING = 2


@dataclass(frozen=True, slots=True)
class WordList:
    """What says yes to a question, and what says that it only looks so."""

    says: re.Pattern[str]
    unless: re.Pattern[str] | None

    def found_in(self, plain_text: str) -> bool:
        """Whether a text in its plain form says it."""
        return bool(self.says.search(plain_text)) and not (self.unless and self.unless.search(plain_text))


def judge(text: str) -> Answers:
    """What the lists say of a message. A question without a list, or whose list finds nothing, is not answered."""
    written = plain(text)
    answers = {name: Answer(1.0) for name, words in _lists().items() if words.found_in(written)}
    if spoken := language_of(text):
        answers["language"] = Answer(spoken)
    return answers


def agrees(text: str) -> bool:
    """Whether a message says yes and nothing else, in one of the languages of the fixed lines."""
    return plain(text) in _affirmations()


def language_of(text: str) -> str | None:
    """The language of a text by its script or its small words; None when they do not tell."""
    if _KANA.search(text):
        return "ja"
    if _HAN.search(text):
        return "zh"
    words = plain(text).split()
    counted = Counter({code: sum(word in small for word in words) for code, small in _small_words().items()})
    (best, most), (_, second) = counted.most_common(2)
    return best if most >= _TELLING and most > second else None


def plain(text: str) -> str:
    """A text without what does not tell words apart: case, accents, apostrophes, punctuation, drawn-out letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = _MARKS.sub("", unicodedata.normalize("NFD", folded))
    bare = unicodedata.normalize("NFC", _APOSTROPHES.sub("", bare))
    return " ".join(_DRAWN_OUT.sub(r"\1\1", _APART.sub(" ", bare)).split())


@cache
def _words() -> Mapping[str, Mapping[str, Sequence[str]]]:
    read: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(
        Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    )
    return read


@cache
def _lists() -> Mapping[str, WordList]:
    return {
        name: WordList(_compiled(lists["says"]), _compiled(lists["unless"]) if "unless" in lists else None)
        for name, lists in _words().items()
        if "says" in lists
    }


@cache
def _affirmations() -> frozenset[str]:
    return frozenset(plain(word) for word in _words()["affirmations"]["words"])


@cache
def _small_words() -> Mapping[str, frozenset[str]]:
    return {code: frozenset(plain(words).split()) for code, words in _words()["small_words"].items()}  # type: ignore[arg-type]


def _compiled(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(_expression(pattern) for pattern in patterns))


def _expression(pattern: str) -> str:
    if _WIDE.search(pattern):
        return f"(?:{pattern.replace('~', '.{0,8}')})"
    expression = ""
    for word in pattern.split():
        expression += r"(?:\w+ ){0,3}" if word == "~" else f"{_one_word(word)} "
    return rf"(?<!\w){expression.removesuffix(' ')}(?!\w)"


def _one_word(word: str) -> str:
    ways = [re.escape(plain(way.removesuffix("*"))) + (r"\w*" if way.endswith("*") else "") for way in word.split("|")]
    return f"(?:{'|'.join(ways)})"
