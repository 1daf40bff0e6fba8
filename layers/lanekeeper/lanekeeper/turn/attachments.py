"""What the thread keeps of the uploads of a message: references, with what they weigh."""

from collections.abc import Sequence

from lanekeeper.lane import Hold
from lanekeeper.postgres import Transaction
from lanekeeper.types import Json
from lanekeeper.uploads.store import SQL


def content_with(text: str, references: Sequence[Json]) -> str | list[str | Json]:
    """The content of a person's message for the thread: what goes along first, then the words."""
    if not references:
        return text
    return [*references, *([{"type": "text", "text": text}] if text else [])]


async def weighed(transaction: Transaction, hold: Hold, references: Sequence[Json]) -> dict[str, Json]:
    """References by id, each with what it weighs in a request: the thread knows that for longer than uploads live."""
    if not references:
        return {}
    rows = await transaction.rows(SQL["some"], {**hold.key, "ids": [one["id"] for one in references]})
    weights = {row["id"]: row["bytes"] if row["kind"] == "image" else row["chars"] or 0 for row in rows}
    return {one["id"]: {**one, "weight": weights.get(one["id"], 0)} for one in references}
