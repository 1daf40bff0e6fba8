"""docs/settings.md says what can be set, in rows that can be read."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lanekeeper.context import versions
from lanekeeper.decisions import rules as decisions
from lanekeeper.ledger import prices
from lanekeeper.ledger.rules import parse_prices
from lanekeeper.mainline import catalogue

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
ROWS: dict[str, str] = dict(re.findall(r"```json (\w+)\n(.*?)```", PAGE, re.DOTALL))
READERS: dict[str, Callable[[Any], Any]] = {
    catalogue.SETTING: catalogue.parse_catalogue,
    versions.SETTING: versions.parse_versions,
    prices.SETTING: parse_prices,
    decisions.SETTING: decisions.parse_policy,
    "daily_spend_micros": int,
}


def test_every_setting_has_its_row_on_the_page() -> None:
    assert set(ROWS) == set(READERS)
    assert set(re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE)) == set(READERS)


@pytest.mark.parametrize("key", READERS)
def test_the_row_on_the_page_can_be_read(key: str) -> None:
    assert READERS[key](json.loads(ROWS[key]))


def test_the_models_on_the_page_are_read_with_all_they_say() -> None:
    read = catalogue.parse_catalogue(json.loads(ROWS["models"]))
    large = read.choose(hard=True)
    assert (large.gateway_id, large.cache, large.notes) == ("vendor/large-4", "marks", "system")
    assert (read.choose().id, read.choose().cache, read.choose().notes) == ("small", "auto", "system")
    assert read.decisions.gateway_id == json.loads(ROWS["models"])["decisions"]
