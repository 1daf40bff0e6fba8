"""What the demo model says: its templates, filled in."""

import tomllib
from collections.abc import Iterable
from datetime import date
from functools import cache
from pathlib import Path
from zlib import crc32

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}
_WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
}


def say(occasion: str, language: str, seed: str = "", **slots: str) -> str:
    """A line for an occasion. The same seed always gives the same variant."""
    variants = _templates()[occasion][language]
    return variants[crc32(f"{occasion} {seed}".encode()) % len(variants)].format(**slots)


def long_date(day: date, language: str) -> str:
    """``Monday, 30 November 2026`` as each language writes it."""
    month, weekday = _MONTHS[language].split()[day.month - 1], _WEEKDAYS[language].split()[day.weekday()]
    if language == "es":
        return f"{weekday}, {day.day} de {month} de {day.year}"
    return f"{weekday}, {day.day}{'.' if language == 'de' else ''} {month} {day.year}"


def in_a_row(items: Iterable[str], language: str) -> str:
    """``one, two or three``."""
    *first, last = items
    return f"{', '.join(first)} {say('or', language)} {last}" if first else last


@cache
def _templates() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name("templates.toml").read_text(encoding="utf-8"))
