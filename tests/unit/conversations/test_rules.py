"""Cursors lead back to their place, and pages keep to their size."""

import base64
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.conversations.rules import Cursor, fitting, moment, ui_message

NOW = datetime(2030, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


@given(
    st.datetimes(timezones=st.just(UTC)),
    st.from_regex(r"[A-Za-z0-9._~-]{1,200}", fullmatch=True),
    st.none() | st.integers(0, 2**31 - 1),
)
def test_a_cursor_is_one_url_safe_word_that_leads_back(at: datetime, one_id: str, position: int | None) -> None:
    cursor = Cursor(at, one_id, position)
    word = str(cursor)
    assert Cursor.read(word) == cursor
    assert set(word) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@given(st.text())
def test_a_word_of_someone_elses_making_is_refused_or_is_a_place(word: str) -> None:
    with suppress(ValueError):
        assert isinstance(Cursor.read(word), Cursor)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        "x",
        ["2030-01-01T00:00:00", "a", None],
        ["yesterday", "a", None],
        [5, "a", None],
        ["2030-01-01T00:00:00+00:00", 5, None],
        ["2030-01-01T00:00:00+00:00", "a\x00", None],
        ["2030-01-01T00:00:00+00:00", "\ud800", None],
        ["2030-01-01T00:00:00+00:00", "a", -1],
        ["2030-01-01T00:00:00+00:00", "a", 2**31],
        ["2030-01-01T00:00:00+00:00", "a", True],
        ["2030-01-01T00:00:00+00:00", "a", "1"],
        ["2030-01-01T00:00:00+00:00", "a"],
    ],
    ids=repr,
)
def test_a_forged_cursor_never_reaches_the_database(value: Any) -> None:
    word = base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
        Cursor.read(word)


def test_times_are_told_in_utc() -> None:
    assert moment(NOW) == "2030-01-02T03:04:05.678Z"
    assert moment(NOW.astimezone(timezone(timedelta(hours=5)))) == "2030-01-02T03:04:05.678Z"


def test_a_page_holds_what_fits_and_at_least_one() -> None:
    items = [{"x": "é" * 10}] * 5
    size = len(json.dumps(items[0], ensure_ascii=False).encode())
    assert fitting(items, size * 3) == 3
    assert fitting(items, size * 5) == 5
    assert fitting(items, 1) == 1
    assert fitting([], 1) == 0


def test_a_message_without_a_turn_has_none_in_its_metadata() -> None:
    row: dict[str, Any] = {"id": "m", "role": "staff", "parts": [], "metadata": {}, "turn_id": None, "created_at": NOW}
    assert ui_message(row)["metadata"] == {"createdAt": "2030-01-02T03:04:05.678Z"}
