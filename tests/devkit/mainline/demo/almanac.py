"""Days and times, worked out from the one moment that a clock or a note tells."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from tests.devkit.mainline.demo.days import Day
from tests.devkit.mainline.demo.phrases import long_date

_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_TIME = re.compile(r"\b([01]\d|2[0-3]):[0-5]\d\b")
_NOTE = re.compile(r"It is (\d{2}:\d{2}) in (\S+?)(?: \([^)]*\))?; today is \w+ (\d{4}-\d{2}-\d{2})")

Say = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of day on a day, and the time zone it is told in."""

    day: date
    time: str
    zone: str
    here: bool


def from_note(note: str) -> Moment | None:
    """The moment that the system told beside the conversation, if it did."""
    found = _NOTE.search(note)
    return Moment(date.fromisoformat(found.group(3)), found.group(1), found.group(2), here=True) if found else None


def from_tool(output: dict[str, Any], asked_zone: str = "") -> Moment | None:
    """The moment that a clock's result tells: its first date and its first time, by whatever name."""
    texts = {key: value for key, value in output.items() if isinstance(value, str)}
    days = [texts.get("today"), texts.get("date"), *texts.values()]
    day = next((found.group() for text in days if text and (found := _DATE.search(text))), None)
    time = next(
        (found.group() for text in (texts.get("time"), *texts.values()) if text and (found := _TIME.search(text))), ""
    )
    zone = next((value for key, value in texts.items() if "zone" in key), "")
    return Moment(date.fromisoformat(day), time, zone, here=not asked_zone) if day else None


def time_line(moment: Moment, say: Say) -> str:
    """What to say when asked for the time."""
    if moment.here:
        return say("time_here", time=moment.time, zone=moment.zone)
    return say("time_there", time=moment.time, zone=moment.zone.rpartition("/")[2].replace("_", " "))


def date_line(moment: Moment, wanted: Day, language: str, say: Say) -> str:
    """What to say when asked for a day."""
    if wanted.yearly:
        month, number = wanted.yearly
        coming = date(moment.day.year, month, number)
        if coming < moment.day:
            coming = coming.replace(year=coming.year + 1)
        shift, lead = (coming - moment.day).days, "until"
    else:
        shift = wanted.shift
        lead = {1: "tomorrow", -1: "yesterday"}.get(shift, "days_ahead" if shift > 0 else "days_back")
    told = long_date(moment.day + timedelta(days=shift), language)
    if not shift:
        return say("date_today", date=told)
    return say("date_other", lead=say(lead, days=str(abs(shift))), date=told)
