"""Figures: many measured values told in a few."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spread:
    """Values of one kind, in the unit they were given in."""

    count: int
    p50: float
    p95: float
    p99: float
    top: float
    mean: float

    @classmethod
    def of(cls, values: Sequence[float], scale: float = 1) -> Self:
        """Raises ValueError when there are no values."""
        if not values:
            raise ValueError("nothing was measured")
        ordered = sorted(value * scale for value in values)
        return cls(
            count=len(ordered),
            p50=quantile(ordered, 0.50),
            p95=quantile(ordered, 0.95),
            p99=quantile(ordered, 0.99),
            top=ordered[-1],
            mean=statistics.fmean(ordered),
        )

    def figures(self) -> Figures:
        """As JSON, rounded to what was really seen."""
        return {
            "count": self.count,
            **{name: short(getattr(self, name)) for name in ("p50", "p95", "p99", "top", "mean")},
        }


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the ordered values lie, between neighbours where need be."""
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def short(value: float) -> float:
    """Three significant digits, and never fewer than the whole part."""
    if value == 0 or not math.isfinite(value):
        return value
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return round(value, digits)


def median_of(runs: Sequence[Figures]) -> Figures:
    """One run's figures out of several: number by number the median, all else as in the first."""
    merged: Figures = {}
    for key, first in runs[0].items():
        values = [run[key] for run in runs if key in run]
        if isinstance(first, dict):
            merged[key] = median_of(values)
        elif isinstance(first, (int, float)) and not isinstance(first, bool):
            merged[key] = short(statistics.median(values))
        else:
            merged[key] = first
    return merged
