"""Whether a summary still holds what the one before it told: names, numbers and addresses first (B020). Pure."""

import re
import unicodedata
from collections.abc import Iterable

# Words that no other word can stand for.
_EXACT = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://\S+|(?<!\w)\d(?:[\w.,:/-]*\w)?")
# A word with a capital; in Japanese a run of katakana.
_NAME = re.compile(r"[^\W\d_][\w-]*|[\u30a1-\u30fa\u30fc]{2,}")
# What often begins a sentence and is no name.
_BEGINNINGS = (
    "a an the they their them she her he his it its we you your i this that these those there here in on at for "
    "from with when what who where no not as after before also then so but and or if person user likes wants asked "
    "said has is was der die das ein eine er sie es wir im am und el la los las un una le les il lo gli une o os as "
    "um uma e y et "
)
_STARTERS = frozenset(_BEGINNINGS.split())
_WORD = re.compile(r"[^\W\d_]{4,}")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")

EXACT_SHARE = 0.75
"""Of the names, numbers and addresses so many must still be there."""
WORD_SHARE = 0.4
"""Of all words that carry meaning: a summary may say things otherwise, but not of other things only."""
MOST_NAMED = 30


def lost(old: str, new: str) -> list[str]:
    """What an old summary told and a new one does not, as words to name; empty where it holds enough of it."""
    there = f" {_flat(new)}"
    exact = _unique([*_EXACT.findall(old), *(name for name in _NAME.findall(old) if _is_name(name))])
    words = _unique([*_WORD.findall(old), *_pairs(old)])
    gone_exact = [word for word in exact if not _stands(_flat(word), there)]
    gone_words = [word for word in words if not _stands(_stem(word), there)]
    if _holds(exact, gone_exact, EXACT_SHARE) and _holds(words, gone_words, WORD_SHARE):
        return []
    return _unique([*gone_exact, *gone_words])[:MOST_NAMED]


def _holds(words: list[str], gone: list[str], share: float) -> bool:
    return len(words) - len(gone) >= share * len(words)


def _is_name(word: str) -> bool:
    return _is_wide(word) or (word[0].isupper() and word.casefold() not in _STARTERS)


def _stem(word: str) -> str:
    flat = _flat(word)
    return flat if _is_wide(flat) else flat[:5]


def _stands(flat: str, there: str) -> bool:
    """Whether a word stands in a text: endings may differ, but not of a number."""
    if _is_wide(flat):
        return flat in there
    end = r"(?![\w]|[.,]\d)" if flat[-1].isdigit() else ""
    return re.search(rf"(?<!\w){re.escape(flat)}{end}", there) is not None


def _is_wide(word: str) -> bool:
    return word[0] >= "\u3000"


def _pairs(text: str) -> list[str]:
    """Of scripts without blanks between words, each two signs that stand together."""
    return [run[place : place + 2] for run in _SIGNS.findall(text) for place in range(max(1, len(run) - 1))]


def _flat(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))
