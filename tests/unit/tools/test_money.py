"""Money is whole minor units with a currency, said in one way (O3, E2)."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lanekeeper.tools import Fact, Money
from lanekeeper.tools.money import DIGITS


@pytest.mark.parametrize(
    ("minor_units", "currency", "text"),
    [
        (1250, "EUR", "12.50 EUR"),
        (5, "USD", "0.05 USD"),
        (-1250, "EUR", "-12.50 EUR"),
        (-5, "EUR", "-0.05 EUR"),
        (0, "GBP", "0.00 GBP"),
        (1200, "JPY", "1200 JPY"),
        (1250, "KWD", "1.250 KWD"),
    ],
)
def test_an_amount_is_said_with_the_digits_of_its_currency(minor_units: int, currency: str, text: str):
    money = Money(minor_units=minor_units, currency=currency)
    assert money.text == text
    assert money.fact == Fact("money", text)


@given(st.integers(-(10**12), 10**12), st.sampled_from(["EUR", *DIGITS]))
def test_what_is_said_is_the_amount_to_the_last_unit(minor_units: int, currency: str):
    said, named = Money(minor_units=minor_units, currency=currency).text.split()
    assert Decimal(said) == Decimal(minor_units).scaleb(-DIGITS.get(currency, 2))
    assert named == currency


@pytest.mark.parametrize(
    "wrong", [{"minor_units": 12.5}, {"minor_units": "1250"}, {"currency": "euro"}, {"currency": "€"}]
)
def test_what_is_no_amount_is_refused(wrong: dict[str, Any]):
    with pytest.raises(ValidationError):
        Money(**({"minor_units": 1250, "currency": "EUR"} | wrong))
