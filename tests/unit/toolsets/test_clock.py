"""``clock_now``: today, yesterday and tomorrow where the person is (B4)."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

from lanekeeper.mainline.reply import ToolCall
from lanekeeper.tools import Outcome, Toolset
from tests.unit.tools.toys import CONTEXT, LIMITS
from toolsets import clock


async def told(moment: datetime, home: str, /, **arguments: str | None) -> Outcome:
    context = dataclasses.replace(CONTEXT, now=moment, timezone=home)
    return await Toolset(clock.tools(), LIMITS).call(ToolCall("c1", "clock_now", dict(arguments)), context)


@pytest.mark.parametrize(
    ("moment", "timezone", "today", "weekday", "time"),
    [
        (datetime(2026, 12, 31, 23, 30, tzinfo=UTC), "UTC", "2026-12-31", "Thursday", "23:30"),
        (datetime(2026, 12, 31, 23, 30, tzinfo=UTC), "Europe/Madrid", "2027-01-01", "Friday", "00:30"),
        (datetime(2026, 12, 31, 23, 30, tzinfo=UTC), "America/Los_Angeles", "2026-12-31", "Thursday", "15:30"),
        (datetime(2028, 2, 28, 20, 0, tzinfo=UTC), "Asia/Kolkata", "2028-02-29", "Tuesday", "01:30"),
        (datetime(2026, 3, 29, 1, 30, tzinfo=UTC), "Europe/Madrid", "2026-03-29", "Sunday", "03:30"),
    ],
)
async def test_the_day_is_the_one_where_the_person_is_b4(
    moment: datetime, timezone: str, today: str, weekday: str, time: str
):
    output = (await told(moment, timezone)).output
    assert (output["today"], output["weekday"], output["time"]) == (today, weekday, time)
    day = datetime.fromisoformat(today)
    assert output["yesterday"].endswith(f", {(day - timedelta(days=1)).date()}")
    assert output["tomorrow"].endswith(f", {(day + timedelta(days=1)).date()}")


async def test_another_place_has_its_own_time():
    output = (await told(datetime(2026, 11, 30, 20, 0, tzinfo=UTC), "UTC", timezone="Asia/Tokyo")).output
    assert (output["timezone"], output["utc_offset"], output["time"]) == ("Asia/Tokyo", "+09:00", "05:00")
    own = (await told(datetime(2026, 11, 30, 20, 0, tzinfo=UTC), "UTC", timezone=None)).output
    assert own["timezone"] == "UTC"


@pytest.mark.parametrize("name", ["Nowhere/Land", "../../etc/passwd", "/etc/passwd", "America", "", "x" * 65, "a\0b"])
async def test_a_zone_that_is_none_is_told_in_words(name: str):
    outcome = await told(datetime(2026, 11, 30, tzinfo=UTC), "Europe/Madrid", timezone=name)
    if name == "":
        assert outcome.output["timezone"] == "Europe/Madrid"
    else:
        assert outcome.is_error
        assert "time zone" in outcome.content or "timezone" in outcome.content
