"""A prompt goes back to an older version by a setting, and a mistake in the setting stops nobody (Q3)."""

import logging
from typing import Any

import pytest

from lanekeeper.context.versions import NEWEST, in_force, parse_versions
from lanekeeper.types import Prompt

OLD, NEW = Prompt("Old.", "assistant-1", "a"), Prompt("New.", "assistant-2", "b")
KEPT = {prompt.version: prompt for prompt in (OLD, NEW)}


def broken(version: str) -> Prompt | None:
    raise ValueError("it passes its budget")


def test_the_newest_version_is_in_force_until_the_setting_names_another_q3() -> None:
    assert in_force(NEWEST, "assistant", NEW, KEPT.get) == NEW
    assert in_force(parse_versions({"assistant": "assistant-1"}), "assistant", NEW, KEPT.get) == OLD
    assert in_force(parse_versions({"another": "assistant-1"}), "assistant", NEW, KEPT.get) == NEW


def test_an_unknown_version_leaves_the_newest_in_force_and_is_an_error_in_the_log_q3(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert in_force({"assistant": "assistant-9"}, "assistant", NEW, KEPT.get) == NEW
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "assistant-9" in caplog.text


def test_a_version_that_cannot_be_used_leaves_the_newest_in_force(caplog: pytest.LogCaptureFixture) -> None:
    assert in_force({"assistant": "assistant-1"}, "assistant", NEW, broken) == NEW
    assert "budget" in caplog.text


@pytest.mark.parametrize("value", [None, [], "x", {"assistant": 1}, {"assistant": None}])
def test_a_row_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="agent id and version"):
        parse_versions(value)
