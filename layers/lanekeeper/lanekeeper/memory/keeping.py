"""Keeps what a note writer found: notes and how far was read, together or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass

from lanekeeper.limits import Limits
from lanekeeper.memory.answer import Draft, Wrong, as_entry
from lanekeeper.memory.asking import asks_to_keep
from lanekeeper.memory.refusals import Refusal
from lanekeeper.memory.rules import Note
from lanekeeper.memory.segment import Segment
from lanekeeper.memory.store import objection, save
from lanekeeper.postgres import Statements, Transaction

SQL = Statements.beside(__file__)


class OutdatedError(Exception):
    """Somebody else has read this segment meanwhile, or its conversation is gone. Nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a segment's notes: how many stand now, and which were refused."""

    saved: int
    refused: tuple[tuple[Note, Refusal], ...]


def sifted(draft: Draft, segment: Segment) -> tuple[list[Note], list[Wrong]]:
    """The notes of a draft that code has nothing against, and all that is wrong in it, with the reasons."""
    notes: list[Note] = []
    wrong = list(draft.wrong)
    for note in draft.notes:
        said = segment.own[note.source_message_id].text
        if (why := objection(note, said, asked=asks_to_keep(said))) is None:
            notes.append(note)
        else:
            wrong.append(Wrong(as_entry(note), why.value))
    return notes, wrong


async def keep(transaction: Transaction, segment: Segment, notes: Sequence[Note], limits: Limits) -> Kept:
    """Save the notes of a segment and put down that it has been read, in the transaction of its person.

    Raises:
        OutdatedError: another writer was first, or the conversation is gone. The transaction must not be committed.
    """
    place = {"user_id": segment.user_id, "conversation_id": segment.conversation_id}
    transaction.put(SQL["hold_lane"], place)
    if not await transaction.run(SQL["move_progress"], place | {"after": segment.after, "until": segment.until}):
        raise OutdatedError
    saved = 0
    refused: list[tuple[Note, Refusal]] = []
    back = await _kept_back(transaction, segment, notes)
    for note in notes:
        if note.source_message_id in back:
            continue
        said = segment.own[note.source_message_id].text
        became = await save(transaction, segment.user_id, note, said, limits, health_asked=asks_to_keep(said))
        saved += became.id is not None
        if became.refused is not None:
            refused.append((note, became.refused))
    return Kept(saved, tuple(refused))


async def _kept_back(transaction: Transaction, segment: Segment, notes: Sequence[Note]) -> set[str]:
    """The messages of notes that no note may be made of any more."""
    if not notes:
        return set()
    of = {"user_id": segment.user_id, "message_ids": [note.source_message_id for note in notes]}
    return {row["id"] for row in await transaction.rows(SQL["kept_back"], of)}


async def count_failure(transaction: Transaction, segment: Segment, limits: Limits) -> bool:
    """Count that no usable answer came about a segment; whether it is passed over from now on.

    Without an end to it, one stretch that no provider answers about would keep all later ones from being read.
    """
    place = {"user_id": segment.user_id, "conversation_id": segment.conversation_id}
    row = await transaction.row(SQL["count_failure"], place | {"after": segment.after})
    if row is None or row["failures"] < limits.notes_attempts:
        return False
    return await transaction.run(SQL["move_progress"], place | {"after": segment.after, "until": segment.until}) > 0
