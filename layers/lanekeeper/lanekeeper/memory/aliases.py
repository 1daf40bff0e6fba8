"""Other words for a word: they widen the search of a message and are never written into a note (R1)."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path


@cache
def aliases() -> Mapping[str, Sequence[str]]:
    """For each word that has any, the other words to search for, of all languages together."""
    others: dict[str, dict[str, None]] = {}
    for words in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).values():
        groups = [group.split() for group in words["same"]]
        pairs = [(word, group) for group in groups for word in group]
        for word, found in (*pairs, *((line.split()[0], line.split()[1:]) for line in words["wider"])):
            others.setdefault(word, {}).update((other, None) for other in found if other != word)
    return {word: tuple(found) for word, found in others.items()}
