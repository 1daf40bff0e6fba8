"""What code says by itself: every line in every language, and help that fits the place (D5, D6)."""

import re
import string
import tomllib
from pathlib import Path
from zoneinfo import available_timezones

import pytest

from lanekeeper.decisions import Act, crisis
from lanekeeper.decisions.crisis import by_timezone, crisis_line
from lanekeeper.decisions.lines import asked_in, is_line_of, line, lines
from lanekeeper.decisions.rules import ASKS

LANGUAGES = {"en", "es", "de", "fr", "it", "pt", "nl", "ja", "zh"}
FILLED_IN = {"crisis": {"contacts", "emergency"}}


def test_every_act_has_its_line_in_every_language():
    assert set(Act) <= set(lines())
    for name, written in lines().items():
        assert set(written.__slots__) == LANGUAGES, name
        assert all(text.strip() for text in written.texts)
        assert len(written.texts) == len(LANGUAGES), f"{name} repeats itself"


def test_a_line_has_no_gap_that_nobody_fills():
    for name, written in lines().items():
        for text in written.texts:
            gaps = {gap for _, gap, _, _ in string.Formatter().parse(text) if gap}
            assert gaps == FILLED_IN.get(name, set()), (name, text)


def test_a_line_in_a_language_that_is_not_there_is_said_in_english():
    assert line(Act.HAND_OVER, "pl") == line(Act.HAND_OVER, None) == lines()["hand_over"].en
    assert line(Act.HAND_OVER, "ja") == lines()["hand_over"].ja


def test_a_question_is_known_again_by_its_words_in_the_language_it_was_asked_in():
    assert asked_in(ASKS, line(Act.ASK_DELETE, "de")) == (Act.ASK_DELETE, "de")
    assert asked_in(ASKS, line(Act.DELETE, "de")) is None
    assert is_line_of(Act.REDIRECT, line(Act.REDIRECT, "zh"))
    assert not is_line_of(Act.REDIRECT, "something else")


@pytest.mark.parametrize(
    ("timezone", "language", "number", "emergency"),
    [
        ("America/Chicago", "en", "988", "911"),
        ("Europe/Berlin", "de", "0800 111 0 111", "112"),
        ("Europe/Madrid", "es", "024", "112"),
        ("Asia/Tokyo", "ja", "0120-279-338", "119"),
        ("Europe/Paris", "en", "3114", "112"),
        ("Europe/London", "pl", "116 123", "999"),
    ],
)
def test_help_is_named_for_the_country_in_the_persons_language(
    timezone: str, language: str, number: str, emergency: str
):
    said = crisis_line(language, timezone)
    assert number in said
    assert emergency in said
    assert said.startswith(lines()["crisis"].in_language(language).split("\n")[0])
    assert "findahelpline.com" in said


@pytest.mark.parametrize("timezone", ["UTC", "Etc/GMT+3", "America/Bogota", "nonsense", ""])
def test_where_the_country_is_not_known_a_directory_of_all_countries_is_named(timezone: str):
    said = crisis_line("en", timezone)
    assert "https://findahelpline.com" in said
    assert "112 in Europe, 911 in North America" in said
    assert not re.search(r"988|116 123", said)


def test_every_country_names_its_source_a_number_and_zones_that_exist():
    read = tomllib.loads(Path(crisis.__file__).with_name("crisis.toml").read_text(encoding="utf-8"))
    for code, country in read.items():
        assert re.fullmatch("[A-Z]{2}", code)
        assert set(country) == {"zones", "contacts", "emergency", "source"}, code
        assert all(len(re.findall(r"\d", contact)) >= 3 for contact in country["contacts"]), code
        assert set(country["zones"]) <= available_timezones(), set(country["zones"]) - available_timezones()
    zones = [zone for country in read.values() for zone in country["zones"]]
    assert len(zones) == len(set(zones)) == len(by_timezone())
