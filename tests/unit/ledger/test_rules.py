from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.ledger.rules import Price, Usage, parse_prices, settle

PRICE = Price(input=250_000, cached=25_000, output=2_000_000)
COUNTS = st.integers(0, 10_000_000)


def test_the_gateways_price_comes_first():
    assert settle(Usage(input_tokens=10, micros=7, reported=True), PRICE) == (7, "exact")
    assert settle(Usage(input_tokens=10, micros=0, reported=True), PRICE) == (0, "exact")


def test_the_table_prices_what_the_gateway_did_not():
    used = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=500_000, reported=True)
    assert settle(used, PRICE) == (150_000 + 10_000 + 1_000_000, "exact")


def test_without_any_price_or_without_counts_a_cost_is_an_estimate_b068():
    assert settle(Usage(input_tokens=10, reported=True), None) == (0, "estimated")
    assert settle(Usage(input_tokens=4_000_000), PRICE) == (1_000_000, "estimated")
    assert settle(Usage(micros=5), PRICE) == (5, "estimated")


def test_a_failed_call_keeps_its_cost_k2():
    assert settle(Usage(input_tokens=4_000_000), PRICE, failed=True) == (1_000_000, "failed")
    assert settle(Usage(), None, failed=True) == (0, "failed")


@given(COUNTS, COUNTS, COUNTS)
def test_a_call_that_used_something_is_never_free_and_never_negative(fresh: int, cached: int, written: int):
    micros = PRICE.of(Usage(input_tokens=fresh, cached_tokens=cached, output_tokens=written))
    assert micros >= 0
    assert (micros > 0) == bool(fresh or cached or written)


def test_a_price_table_is_read_from_its_setting():
    table = parse_prices({"small": {"input": 1, "output": 3}, "large": {"input": 10, "cached": 2, "output": 30}})
    assert table == {"small": Price(input=1, cached=1, output=3), "large": Price(input=10, cached=2, output=30)}


@pytest.mark.parametrize(
    "row", [[], {"small": {}}, {"small": {"input": "x", "output": 1}}, {"s": {"input": -1, "output": 1}}]
)
def test_a_setting_that_is_no_price_table_is_refused(row: Any):
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        parse_prices(row)
