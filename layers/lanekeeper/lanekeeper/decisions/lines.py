"""The fixed lines: what code says in its own words, in the person's language."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from lanekeeper.decisions.rules import Act

OTHERWISE = "en"


@cache
def lines() -> Mapping[str, Mapping[str, str]]:
    """Every line, by act and language."""
    read: Mapping[str, Mapping[str, str]] = tomllib.loads(
        Path(__file__).with_name("lines.toml").read_text(encoding="utf-8")
    )
    return read


def line(act: Act, language: str | None) -> str:
    """An act's line in a language, or in English when it is not written in that one."""
    written = lines()[act]
    return written.get(language or OTHERWISE) or written[OTHERWISE]


def is_line_of(act: Act, text: str) -> bool:
    """Whether a text is this act's line in some language, so that it need not be remembered elsewhere."""
    return text in lines()[act].values()


def asked_in(acts: Iterable[Act], text: str) -> tuple[Act, str] | None:
    """Which of these acts a text is the line of, and in which language."""
    for act in acts:
        for language, written in lines()[act].items():
            if written == text:
                return act, language
    return None
