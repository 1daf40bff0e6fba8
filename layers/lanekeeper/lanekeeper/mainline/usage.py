"""What a gateway says that a call used and cost, as far as it can be believed."""

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from lanekeeper.ledger.rules import MILLION, Usage
from lanekeeper.types import Json

# What no call can have used or cost: a gateway that says so is not believed.
MOST_TOKENS = 100_000_000
MOST_MICROS = 1_000_000 * MILLION


def highest(usage: Usage, reported: Any) -> Usage:
    """The usage with what another chunk reports: the highest of each count, never their sum (B068)."""
    if not isinstance(reported, dict):
        return usage
    details = _object(reported.get("prompt_tokens_details"))
    written = _object(reported.get("completion_tokens_details"))
    cached = max(_count(details.get("cached_tokens")), _count(reported.get("cache_read_input_tokens")))
    price = micros(reported.get("cost"))
    return replace(
        usage,
        input_tokens=max(usage.input_tokens, _count(reported.get("prompt_tokens"))),
        cached_tokens=max(usage.cached_tokens, cached),
        output_tokens=max(usage.output_tokens, _count(reported.get("completion_tokens"))),
        reasoning_tokens=max(usage.reasoning_tokens, _count(written.get("reasoning_tokens"))),
        micros=usage.micros if price is None else max(price, usage.micros or 0),
        reported=usage.reported or _count(reported.get("prompt_tokens")) > 0,
    )


def answered(estimated: Usage, reported: Any, cost: Any) -> Usage:
    """The usage of a call that was answered in one piece: as its gateway reports it, else as estimated.

    Endpoints other than chat name their counts ``input_tokens`` and ``output_tokens``.
    """
    told = _object(reported)
    details = _object(told.get("input_tokens_details"))
    input_tokens = _count(told.get("input_tokens")) or _count(told.get("prompt_tokens"))
    price = micros(cost)
    if not input_tokens:
        return replace(estimated, micros=price)
    return Usage(
        input_tokens=input_tokens,
        cached_tokens=_count(details.get("cached_tokens")),
        output_tokens=_count(told.get("output_tokens")),
        micros=price,
        reported=True,
    )


def micros(cost: Any) -> int | None:
    """Millionths from a price in whole units, given as number or text; None when it is none."""
    if cost is None or isinstance(cost, bool):
        return None
    try:
        price = Decimal(str(cost)) * MILLION
    except InvalidOperation:
        return None
    return round(price) if price.is_finite() and 0 <= price <= MOST_MICROS else None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value <= MOST_TOKENS else 0


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
