"""Precision and recall. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counted:
    """How often yes was said rightly, wrongly, and not although it should have been."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float | None:
        """The share of yes that was right; None when yes was never said."""
        said = self.right + self.wrong
        return self.right / said if said else None

    @property
    def recall(self) -> float | None:
        """The share that was found; None when there was nothing to find."""
        there = self.right + self.missed
        return self.right / there if there else None

    @property
    def f1(self) -> float:
        """One number of both; 0 when nothing was found."""
        both = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / both if both else 0.0


def measure(pairs: Iterable[tuple[bool, bool]]) -> Counted:
    """Count pairs of what is so and what was said."""
    right = wrong = missed = 0
    for is_so, said in pairs:
        right += is_so and said
        wrong += said and not is_so
        missed += is_so and not said
    return Counted(right, wrong, missed)
