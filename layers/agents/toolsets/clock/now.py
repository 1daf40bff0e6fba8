"""``clock_now``: the local date and time, with the days around it worked out."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from pydantic import Field

from lanekeeper.tools import Example, Tool, ToolContext, ToolFailure, ToolInput, ToolOutput

DESCRIPTION = """\
Tells the date, the weekday and the time of day, right now, where the person is. Use it when they ask what time or day \
it is, or when you need a date to answer: how long until something, which weekday a day is. For another place, give \
its time zone; leave it null for the person's own. Yesterday and tomorrow are worked out for you: use them \
as they are. It does not know calendars, holidays, weather or opening hours, and sets no alarms or reminders."""


class ClockInput(ToolInput):
    """Arguments of ``clock_now``."""

    timezone: str | None = Field(
        default=None,
        max_length=64,
        description="IANA time zone of another place, such as Asia/Tokyo. Null for the person's own.",
    )


class ClockOutput(ToolOutput):
    """What ``clock_now`` tells. Dates are ``YYYY-MM-DD``, the time is ``HH:MM`` on a 24-hour clock."""

    timezone: str
    utc_offset: str
    time: str
    today: str
    weekday: str
    yesterday: str
    tomorrow: str


async def now(context: ToolContext, given: ClockInput) -> ClockOutput:
    """The turn's moment in the zone that was asked for."""
    name = given.timezone or context.timezone
    here = context.now.astimezone(_zone(name))
    today, offset = here.date(), f"{here:%z}"
    return ClockOutput(
        timezone=name,
        utc_offset=f"{offset[:3]}:{offset[3:5]}",
        time=f"{here:%H:%M}",
        today=_day(today),
        weekday=_weekday(today),
        yesterday=f"{_weekday(today - timedelta(days=1))}, {_day(today - timedelta(days=1))}",
        tomorrow=f"{_weekday(today + timedelta(days=1))}, {_day(today + timedelta(days=1))}",
    )


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    # A name may also be a path outside the database of zones, or one of its folders.
    except (KeyError, ValueError, OSError):
        raise ToolFailure(
            "There is no time zone of that name.",
            "Call it again with an IANA name such as Europe/Madrid, or with null for the person's own zone.",
            retryable=True,
        ) from None


def _day(day: date) -> str:
    return day.isoformat()


def _weekday(day: date) -> str:
    # Not by the machine's language.
    return ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[day.weekday()]


CLOCK_NOW = Tool(
    name="clock_now",
    description=DESCRIPTION,
    input=ClockInput,
    output=ClockOutput,
    run=now,
    examples=(
        Example("what time is it?", ClockInput()),
        Example("is it already tomorrow in Sydney", ClockInput(timezone="Australia/Sydney")),
    ),
)
