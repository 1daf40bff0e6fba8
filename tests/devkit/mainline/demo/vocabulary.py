"""The words that the demo model looks for, from the files beside this module."""

import tomllib
from pathlib import Path

_TABLES: dict[str, dict[str, str]] = {}
for _name in ("vocabulary.toml", "memory_words.toml"):
    for _table, _words in tomllib.loads(Path(__file__).with_name(_name).read_text(encoding="utf-8")).items():
        _TABLES.setdefault(_table, {}).update(_words)


def table(name: str) -> dict[str, str]:
    """A table as it stands."""
    return _TABLES[name]


def word_set(name: str) -> frozenset[str]:
    """One of the sets of words."""
    return frozenset(_TABLES["sets"][name].split())


def by_word(name: str) -> dict[str, str]:
    """A table read backwards: for each word the entry that lists it."""
    return {word: entry for entry, words in _TABLES[name].items() for word in words.split()}
