"""What the demo classifier answers about a message, by word lists: enough to see memory work, and no more.

It stands in while nobody has scripted a verdict. It says whether a message leans on what the person told before, and in
which language it is written; all else it leaves unremarkable.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from tests.devkit.mainline.words import words

LEANS, STANDS_ALONE = 0.9, 0.05


def verdicts(evidence: Any) -> dict[str, Any]:
    """The answers about a text, by the names of the questions; none about anything else."""
    if not isinstance(evidence, str):
        return {}
    said = words(evidence)
    return {"refers_to_earlier": LEANS if leans_on_earlier(said) else STANDS_ALONE, "language": language(said)}


def leans_on_earlier(said: tuple[str, ...]) -> bool:
    """Whether a message speaks of what is the person's own, or of what was said before."""
    line = f" {' '.join(said)} "
    return any(f" {sign} " in line for signs in _lists()["earlier"].values() for sign in signs)


def language(said: tuple[str, ...]) -> str:
    """The language most of whose small words stand in a message; English where they do not tell."""
    counts = {name: sum(word in small for word in said) for name, small in _lists()["small"].items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    return best if counts[best] else "en"


@cache
def _lists() -> dict[str, dict[str, frozenset[str]]]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        "earlier": {name: frozenset(lists["earlier"]) for name, lists in tables.items()},
        "small": {name: frozenset(lists["small"].split()) for name, lists in tables.items()},
    }
