"""Texts as lists of words, alike in every spelling: no case, no accents, no punctuation."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_JOINERS = str.maketrans({"'": None, "\u2019": None, "ß": "ss"})


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in their order: ``What's the TIME?`` gives ``whats the time``."""
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_JOINERS))
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return tuple(_WORD.findall(plain.translate(_JOINERS)))
