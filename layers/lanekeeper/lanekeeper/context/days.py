"""The days as a person has them: today, yesterday and tomorrow where they are (B4). Pure."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

# Not the names of the locale: the same words on every machine.
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Days:
    """A moment and the days around it, in one time zone.

    Attributes:
        here: the moment as a clock there shows it.
        zone: the IANA name of the zone.
        known: whether that is the person's own zone, or UTC because nobody knows theirs.
    """

    here: datetime
    zone: str
    known: bool

    @classmethod
    def around(cls, now: datetime, timezone: str | None) -> "Days":
        """The days around a moment where the person is; in UTC where their zone is missing or no zone at all."""
        zone = find_zone(timezone)
        return cls(now.astimezone(zone or UTC), timezone if zone and timezone else "UTC", zone is not None)

    @property
    def today(self) -> date:
        """The date on the calendar there."""
        return self.here.date()

    @property
    def yesterday(self) -> date:
        """The date before it, also where that day had 23 hours or 25."""
        return self.today - timedelta(days=1)

    @property
    def tomorrow(self) -> date:
        """The date after it."""
        return self.today + timedelta(days=1)


def find_zone(timezone: str | None) -> tzinfo | None:
    """The zone of that IANA name, or None when there is none."""
    if not timezone:
        return None
    try:
        return ZoneInfo(timezone)
    except (ValueError, LookupError, OSError):  # a path, a folder, a name too long: whatever was stored once
        return None


def written(day: date) -> str:
    """A day with its weekday: ``Monday 2026-11-30``."""
    return f"{WEEKDAYS[day.weekday()]} {day.isoformat()}"
