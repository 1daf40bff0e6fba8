"""Fixed lines: in the person's language where there is one, in English otherwise (E6)."""

from pathlib import Path

import pytest

from lanekeeper import lines
from lanekeeper.lines import HOLDING_LINE, HONEST_LINE, PERSON_LINE, Line, lines_beside, together

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
        ("nl", HONEST_LINE.nl),
        ("zh-Hans", HONEST_LINE.zh),
        (None, HONEST_LINE.en),
    ],
)
def test_a_line_is_said_in_the_persons_language_or_in_english(language: str | None, expected: str) -> None:
    assert HONEST_LINE.in_language(language) == expected


@pytest.mark.parametrize("name", LINES)
def test_a_line_reads_differently_in_every_language(name: str) -> None:
    assert len(LINES[name].texts) == len(Line.__slots__) == 9
    assert all(text == text.strip() and text.endswith((".", "?", "。")) for text in LINES[name].texts)


def test_a_text_is_known_again_as_a_line_with_its_language() -> None:
    assert HONEST_LINE.language_of(HONEST_LINE.pt) == "pt"
    assert HONEST_LINE.language_of("something else") is None


def test_lines_are_joined_as_their_language_joins_sentences() -> None:
    assert together("de-AT", HOLDING_LINE, PERSON_LINE) == f"{HOLDING_LINE.de} {PERSON_LINE.de}"
    assert together("ja", HOLDING_LINE, PERSON_LINE) == HOLDING_LINE.ja + PERSON_LINE.ja
    assert together("pl", HOLDING_LINE, PERSON_LINE) == f"{HOLDING_LINE.en} {PERSON_LINE.en}"


def test_a_line_that_lacks_a_language_is_found_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "lines.toml").write_text('[one]\nen = "Hello."\n', encoding="utf-8")
    with pytest.raises(TypeError, match="missing 8 required"):
        lines_beside(str(tmp_path / "room.py"))


def test_every_file_of_lines_is_written_in_the_same_languages() -> None:
    files = list(Path(lines.__file__).parent.rglob("lines.toml"))
    assert {file.parent.name for file in files} == {"lanekeeper", "decisions", "uploads"}
    for file in files:
        assert lines_beside(str(file))
