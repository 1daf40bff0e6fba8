"""What code says by itself, in fixed words: never written by a model, the same for everybody, in several languages.

A room keeps its lines in a file ``lines.toml`` beside its code: one table a line, one text a language. Each names what
happened and what can be done now, and nothing of our insides.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OTHERWISE = "en"
# Written without spaces between sentences.
_UNSPACED = frozenset({"ja", "zh"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One fixed line, by language."""

    en: str
    es: str
    de: str
    fr: str
    it: str
    pt: str
    nl: str
    ja: str
    zh: str

    def in_language(self, language: str | None) -> str:
        """The line for a BCP 47 tag such as ``es-MX``; in English where there is no such line, or none is known."""
        return str(getattr(self, written_in(language)))

    def language_of(self, text: str) -> str | None:
        """The language in which a text is this line; None for any other text."""
        return next((language for language in self.__slots__ if getattr(self, language) == text), None)

    @property
    def texts(self) -> frozenset[str]:
        """The line in every language there is."""
        return frozenset(getattr(self, language) for language in self.__slots__)


def written_in(language: str | None) -> str:
    """The language in which a person of this one reads fixed lines."""
    primary = (language or OTHERWISE).replace("_", "-").partition("-")[0].lower()
    return primary if primary in Line.__slots__ else OTHERWISE


def together(language: str | None, *lines: Line) -> str:
    """Several lines as one text."""
    between = "" if written_in(language) in _UNSPACED else " "
    return between.join(line.in_language(language) for line in lines)


def lines_beside(module_file: str) -> Mapping[str, Line]:
    """The lines of ``lines.toml`` in the folder of ``module_file`` (pass ``__file__``), by name.

    Raises:
        TypeError: one is not written in exactly the languages that there are.
    """
    read = tomllib.loads(Path(module_file).with_name("lines.toml").read_text(encoding="utf-8"))
    return {name: Line(**written) for name, written in read.items()}


_LINES = lines_beside(__file__)

# A turn that could not be completed (T5).
HONEST_LINE = _LINES["honest"]
# Work that takes its time (T3). A status on the screen, never a part of a reply.
HOLDING_LINE = _LINES["holding"]
# A conversation that is summed up before it can go on (C4). A status as well.
WAITING_LINE = _LINES["waiting"]
# An answer that came to its length limit twice (E6).
TOO_LONG_LINE = _LINES["too_long"]
# An answer that the model's provider held back (E6).
REFUSED_LINE = _LINES["refused"]
# An answer that broke the output contract twice (E5).
WITHHELD_LINE = _LINES["withheld"]
# An agent that failed at one goal twice (A3).
PERSON_LINE = _LINES["person"]
