"""Where a person in a crisis finds help, by the country they seem to be in (D6)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lanekeeper.decisions.lines import line, lines
from lanekeeper.decisions.rules import Act


@dataclass(frozen=True, slots=True)
class Help:
    """A country's helplines, each as one line to show, and its emergency number."""

    contacts: tuple[str, ...]
    emergency: str


@cache
def by_timezone() -> Mapping[str, Help]:
    """Help by IANA time zone. A zone that is not here belongs to a country whose lines were not checked."""
    read = tomllib.loads(Path(__file__).with_name("crisis.toml").read_text(encoding="utf-8"))
    return {
        zone: Help(tuple(country["contacts"]), str(country["emergency"]))
        for country in read.values()
        for zone in country["zones"]
    }


def crisis_line(language: str | None, timezone: str) -> str:
    """What is said to a person in danger: the lines of their country, or a directory of all countries.

    Args:
        language: what they write in, when known.
        timezone: the IANA zone they are in; it tells the country. UTC and its like tell none.
    """
    found = by_timezone().get(timezone)
    directory = lines()["directory"].in_language(language)
    contacts = [*found.contacts, directory] if found else [directory]
    emergency = found.emergency if found else lines()["emergency"].in_language(language)
    return line(Act.CRISIS, language).format(
        contacts="\n".join(f"- {contact}" for contact in contacts), emergency=emergency
    )
