"""The reply's script: that of the person's language, where both are beyond doubt (D6, E5)."""

import unicodedata
from collections import Counter

from lanekeeper.limits import Limits

_SCRIPTS = {
    "CYRILLIC": ("ru", "uk", "bg", "be", "mk"),
    "GREEK": ("el",),
    "ARABIC": ("ar", "fa", "ur"),
    "HEBREW": ("he",),
    "THAI": ("th",),
    "HANGUL": ("ko",),
    "HIRAGANA KATAKANA CJK": ("ja",),
    "CJK": ("zh",),
    "DEVANAGARI": ("hi", "mr", "ne"),
    "LATIN": (
        *("ca", "cs", "da", "de", "en", "es", "et", "fi", "fr", "hr", "hu", "id", "it", "lt", "lv", "nb", "nl", "no"),
        *("pl", "pt", "ro", "sk", "sl", "sv", "tr", "vi"),
    ),
}
_SCRIPTS_OF = {language: frozenset(names.split()) for names, languages in _SCRIPTS.items() for language in languages}


class Script:
    """Watches the first letters of a reply. Its first letter in the right script ends the watch.

    Args:
        language: the person's language as the decisions found it, or empty where that is not sure.
        words: what the person wrote in this turn. One letter in another script near its beginning, and nothing is sure.
        limits: how many letters make it sure.
    """

    def __init__(self, language: str, words: str, limits: Limits) -> None:
        self._sure_letters = limits.script_reply_letters
        self._right = _SCRIPTS_OF.get(language.partition("-")[0].lower(), frozenset())
        written = _letters(words[: limits.script_chars])
        sure = sum(written.values()) >= limits.script_person_letters and not written.keys() - self._right
        self.watching = bool(self._right) and sure

    def is_wrong(self, view: str) -> bool:
        """Whether the beginning of a reply is in another script, seen over enough letters."""
        found = _letters(view)
        if found.keys() & self._right:
            self.watching = False
        return self.watching and sum(found.values()) >= self._sure_letters

    def is_doubtful(self, view: str) -> bool:
        """Whether the beginning of a reply is to wait."""
        return self.watching and bool(_letters(view))


def _letters(text: str) -> Counter[str]:
    """How many letters of which script."""
    return Counter(unicodedata.name(char, "").partition(" ")[0] for char in text if char.isalpha())
