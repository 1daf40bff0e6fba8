"""Whether a note would bring back what its person had forgotten (W4, B062)."""

import math
from collections.abc import Mapping

from lanekeeper.memory.forgetting import SQL
from lanekeeper.memory.telling import ENOUGH, digest, digests
from lanekeeper.postgres import Transaction


async def is_forgotten(
    transaction: Transaction, user_id: str, message_id: str, subject: str, body: str, *, asked: bool
) -> bool:
    """Whether a note is what was forgotten after the message was written from which it is made.

    What the person says later counts anew, also the very same.

    Args:
        transaction: one in the name of ``user_id``.
        user_id: whose note.
        message_id: the message it comes from.
        subject: what it is about, normalised.
        body: what it says.
        asked: the person asked for just this to be kept. Then another fact about the same subject may be kept: "forget
            what my sister is called, and remember that she lives in Oslo".
    """
    spelled, stems = digests(user_id, body)
    told = {
        "user_id": user_id,
        "message_id": message_id,
        "subject": digest(user_id, subject),
        "spelled": sorted(spelled),
        "stems": sorted(stems),
    }
    stones = await transaction.rows(SQL["tombstones"], told)
    return any(
        (not asked and stone["subject"] == told["subject"]) or _matches(stone, spelled, stems) for stone in stones
    )


def _matches(stone: Mapping[str, list[str]], spelled: frozenset[str], stems: frozenset[str]) -> bool:
    together = stone["together"]
    enough = bool(together) and len(stems & set(together)) >= math.ceil(ENOUGH * len(together))
    return enough or not spelled.isdisjoint(stone["digests"])
