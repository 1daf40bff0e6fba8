"""What memory found too late for a turn, left for the next one (R2)."""

from dataclasses import dataclass
from datetime import datetime

from lanekeeper.memory.recall import Hit
from lanekeeper.types import Json


@dataclass(frozen=True, slots=True)
class LateRecall:
    """Notes that still stand; ``age_s``: seconds since they were found."""

    hits: tuple[Hit, ...] = ()
    age_s: float = 0

    @classmethod
    def of(cls, notes: list[Json] | None, age_s: float | None) -> "LateRecall":
        """The notes as ``start_turn`` gives them, none when there were none."""
        hits = (Hit(**note | {"saved_at": datetime.fromisoformat(note["saved_at"])}) for note in notes or ())
        return cls(tuple(hits), float(age_s or 0))
