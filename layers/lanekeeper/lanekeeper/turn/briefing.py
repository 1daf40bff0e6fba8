"""What the model is told for one reply only (C5): the day, what memory has, the language, and what to mind."""

from lanekeeper.context import turn_only
from lanekeeper.turn.deciding import Deciding
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.recalling import Recalling


def briefing(turn: Turn, deciding: Deciding, recalling: Recalling) -> list[str]:
    """The blocks for this reply, by all that was judged and found so far, for what joined included."""
    return turn_only(
        turn.now,
        turn.timezone,
        recalled=recalling.recalled,
        language=deciding.language,
        notes=[*recalling.advice, *deciding.notes],
    )
