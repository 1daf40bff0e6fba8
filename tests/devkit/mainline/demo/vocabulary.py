"""The words that the demo model looks for, from the file beside this module."""

import tomllib
from pathlib import Path

_TABLES: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def table(name: str) -> dict[str, str]:
    """A table as it stands."""
    return _TABLES[name]


def word_set(name: str) -> frozenset[str]:
    """One of the sets of words."""
    return frozenset(_TABLES["sets"][name].split())


def by_word(name: str) -> dict[str, str]:
    """A table read backwards: for each word the entry that lists it."""
    return {word: entry for entry, words in _TABLES[name].items() for word in words.split()}
