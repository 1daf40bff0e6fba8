"""Fixed lines: in the person's language where there is one, in English otherwise (E6)."""

import pytest

from lanekeeper import lines
from lanekeeper.lines import HONEST_LINE, Line

LINES = {name: line for name, line in vars(lines).items() if isinstance(line, Line)}


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("es", HONEST_LINE.es),
        ("es-MX", HONEST_LINE.es),
        ("pt_BR", HONEST_LINE.pt),
        ("DE", HONEST_LINE.de),
        ("tlh", HONEST_LINE.en),
        ("", HONEST_LINE.en),
        ("in_language", HONEST_LINE.en),
    ],
)
def test_a_line_is_said_in_the_persons_language_or_in_english(language: str, expected: str) -> None:
    assert HONEST_LINE.in_language(language) == expected


@pytest.mark.parametrize("name", LINES)
def test_a_line_reads_differently_in_every_language(name: str) -> None:
    assert len(LINES[name].texts) == len(Line.__slots__)
    assert all(text == text.strip() and text.endswith((".", "?")) for text in LINES[name].texts)
