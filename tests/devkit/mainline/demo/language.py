"""Which of its three languages the demo model answers in."""

from tests.devkit.mainline.demo.vocabulary import by_word, table
from tests.devkit.mainline.words import words

LANGUAGES = ("en", "es", "de")

_WORDS = {name: frozenset(listed.split()) for name, listed in table("languages").items()}
_NAMED = by_word("named_languages")


def detect(text: str, otherwise: str) -> str:
    """The language of a text; ``otherwise`` when its words do not tell."""
    counts = {language: sum(word in known for word in words(text)) for language, known in _WORDS.items()}
    best = max(LANGUAGES, key=lambda language: counts[language])
    tied = [language for language in LANGUAGES if counts[language] == counts[best]]
    return best if len(tied) == 1 else otherwise if otherwise in tied or not counts[best] else tied[0]


def named(text: str) -> str:
    """The language that a text names, when the demo model speaks it, or empty."""
    return next((_NAMED[word] for word in words(text) if word in _NAMED), "")
