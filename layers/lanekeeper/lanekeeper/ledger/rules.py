"""What a call cost, and how sure we are of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["exact", "estimated", "failed"]

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one call used. Token counts include one another as with OpenAI: cached ones are part of the input.

    ``micros`` is the gateway's own price in millionths of the currency, None when it named none.
    ``reported`` is false when the counts are our estimate.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    micros: int | None = None
    reported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Micros for a million tokens of each sort."""

    input: int
    cached: int
    output: int

    def of(self, usage: Usage) -> int:
        """Micros for this usage, rounded up: a paid call is never free."""
        fresh = max(0, usage.input_tokens - usage.cached_tokens)
        total = fresh * self.input + usage.cached_tokens * self.cached + usage.output_tokens * self.output
        return -(-total // MILLION)


Prices = Mapping[str, Price]


def parse_prices(value: Any) -> Prices:
    """The price table from its settings row: ``{"small": {"input": 150000, "cached": 75000, "output": 600000}}``.

    Raises:
        ValueError, TypeError, KeyError: it is no such table.
    """
    prices: dict[str, Price] = {}
    for model_id, row in value.items():
        price = Price(input=int(row["input"]), cached=int(row.get("cached", row["input"])), output=int(row["output"]))
        if min(price.input, price.cached, price.output) < 0:
            raise ValueError(f"a price of {model_id} is below zero")
        prices[model_id] = price
    return prices


def settle(usage: Usage, price: Price | None, *, failed: bool = False) -> tuple[int, Status]:
    """Micros and status of a call's cost row: the gateway's price, else the table's, else 0 as an estimate."""
    micros = usage.micros
    if micros is None:
        micros = price.of(usage) if price else 0
    if failed:
        return micros, "failed"
    known = usage.reported and (usage.micros is not None or price is not None)
    return micros, "exact" if known else "estimated"
