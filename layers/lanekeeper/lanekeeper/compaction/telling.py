"""Whether a summary still holds what the one before it told: names, numbers and addresses first (B020). Pure."""

import re
import unicodedata
from collections.abc import Iterable

from lanekeeper.mainline import tokens

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

_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+")

EXACT_SHARE = 0.75
"""Of the names, numbers and addresses so many must still be there."""
WORD_SHARE = 0.4
"""Of all words that carry meaning, where there are hardly any names and numbers: a summary may say things otherwise."""
FEW_EXACT = 3
LEAST_EXACT_SHARE = 0.5
"""With less of them a summary cannot stand in the place of the one before."""
MOST_NAMED = 30


def lost(old: str, new: str) -> list[str]:
    """What an old summary told and a new one does not, as words to name; empty where it holds enough of it."""
    exact, words = _exact(old), _words(old)
    gone_exact, gone_words = _gone(exact, new), _gone(words, new)
    few = len(exact) < FEW_EXACT
    if _holds(exact, gone_exact, EXACT_SHARE) and not (few and not _holds(words, gone_words, WORD_SHARE)):
        return []
    return _unique([*gone_exact, *(gone_words if few else [])])[:MOST_NAMED]


def is_lost(old: str, new: str) -> bool:
    """Whether so much of an old summary is gone that the new one cannot stand in its place."""
    exact = _exact(old)
    return not _holds(exact, _gone(exact, new), LEAST_EXACT_SHARE)


def carried(old: str, new: str, room: int) -> str:
    """The sentences of an old summary that tell what a new one does not, as many as there is room for.

    Those with names and numbers come first, and those that were told first.

    Args:
        old: the summary before.
        new: the summary that left something out.
        room: tokens that they may have together.
    """
    sentences = _unique(sentence.strip() for sentence in _SENTENCE.split(old) if sentence.strip())
    telling = [one for one in sentences if _gone(_exact(one), new)]
    others = [one for one in sentences if one not in telling and _gone(_words(one), new)]
    kept: set[str] = set()
    for sentence in (*telling, *others):
        if tokens.estimate("\n".join([*kept, sentence])) <= room:
            kept.add(sentence)
    return "\n".join(sentence for sentence in sentences if sentence in kept)


def _exact(text: str) -> list[str]:
    return _unique([*_EXACT.findall(text), *(name for name in _NAME.findall(text) if _is_name(name))])


def _words(text: str) -> list[str]:
    return _unique([*_WORD.findall(text), *_pairs(text)])


def _gone(words: list[str], new: str) -> list[str]:
    """The words that do not stand in a text; of ordinary ones their beginning is enough."""
    there = f" {_flat(new)}"
    return [word for word in words if not _stands(_flat(word) if _is_exact(word) else _stem(word), there)]


def _holds(words: list[str], gone: list[str], share: float) -> bool:
    return len(words) - len(gone) >= share * len(words)


def _is_exact(word: str) -> bool:
    return not word[0].isalpha() or "@" in word or _is_name(word)


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
