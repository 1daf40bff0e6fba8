"""Which day and which place a message means."""

import re
from dataclasses import dataclass

from tests.devkit.mainline.demo.vocabulary import by_word
from tests.devkit.mainline.words import words


@dataclass(frozen=True, slots=True)
class Day:
    """A day, as a distance from today, or as a date of every year."""

    shift: int = 0
    yearly: tuple[int, int] | None = None


_YEARLY = {
    (12, 25): ("christmas", "navidad", "weihnachten"),
    (1, 1): ("new year", "new years", "ano nuevo", "neujahr"),
}
# Two words before their second one alone.
_SHIFTS = {
    "day after tomorrow": 2, "pasado manana": 2, "ubermorgen": 2,
    "day before yesterday": -2, "anteayer": -2, "vorgestern": -2,
    "tomorrow": 1, "manana": 1, "morgen": 1, "yesterday": -1, "ayer": -1, "gestern": -1,
}  # fmt: skip
_UNITS = {"day": 1, "days": 1, "dia": 1, "dias": 1, "tag": 1, "tage": 1, "tagen": 1}
_UNITS |= dict.fromkeys(("week", "weeks", "semana", "semanas", "woche", "wochen"), 7)
_FORWARD = re.compile(rf"\b(?:in|en|dentro de) (\d{{1,4}}) ({'|'.join(_UNITS)})\b")
_BACK = re.compile(rf"\b(?:(\d{{1,4}}) ({'|'.join(_UNITS)}) ago|(?:hace|vor) (\d{{1,4}}) ({'|'.join(_UNITS)}))\b")


def day(text: str) -> Day:
    """The day that a message means; today unless it says otherwise."""
    plain = " ".join(words(text))
    for date, names in _YEARLY.items():
        if any(name in plain for name in names):
            return Day(yearly=date)
    if found := _FORWARD.search(plain):
        return Day(int(found.group(1)) * _UNITS[found.group(2)])
    if found := _BACK.search(plain):
        number, unit = found.group(1) or found.group(3), found.group(2) or found.group(4)
        return Day(-int(number) * _UNITS[unit])
    return next((Day(shift) for said, shift in _SHIFTS.items() if re.search(rf"\b{said}\b", plain)), Day())


_ZONES = by_word("places")


def zone(text: str) -> str:
    """The time zone of a place that a message names, or empty."""
    return next((_ZONES[word] for word in words(text) if word in _ZONES), "")
