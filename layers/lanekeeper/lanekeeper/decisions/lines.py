"""The fixed lines of acts: what code says in its own words, in the person's language."""

from collections.abc import Iterable, Mapping
from functools import cache

from lanekeeper.decisions.rules import Act
from lanekeeper.lines import Line, lines_beside


@cache
def lines() -> Mapping[str, Line]:
    """Every line, by act."""
    return lines_beside(__file__)


def line(act: Act, language: str | None) -> str:
    """An act's line in a language, or in English when it is not written in that one."""
    return lines()[act].in_language(language)


def is_line_of(act: Act, text: str) -> bool:
    """Whether a text is this act's line in some language, so that it need not be remembered elsewhere."""
    return text in lines()[act].texts


def asked_in(acts: Iterable[Act], text: str) -> tuple[Act, str] | None:
    """Which of these acts a text is the line of, and in which language."""
    return next(((act, language) for act in acts if (language := lines()[act].language_of(text))), None)
