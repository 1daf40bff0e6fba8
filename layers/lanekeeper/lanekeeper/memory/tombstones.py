"""Whether a note would bring back what its person had forgotten (W4, B062)."""

from lanekeeper.memory.forgetting import SQL
from lanekeeper.memory.telling import Telling, digest, digests_of
from lanekeeper.postgres import Transaction
from lanekeeper.types import Json


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
    spelled, stems = digests_of(user_id, body)
    about = digest(user_id, subject)
    told = {"user_id": user_id, "message_id": message_id, "subject": about, "spelled": spelled, "stems": stems}
    stones = await transaction.rows(SQL["tombstones"], told)
    return any((not asked and stone["subject"] == about) or _telling(user_id, stone).is_in(body) for stone in stones)


def _telling(user_id: str, stone: Json) -> Telling:
    return Telling(frozenset(stone["digests"]), frozenset(stone["together"]), owner=user_id)
