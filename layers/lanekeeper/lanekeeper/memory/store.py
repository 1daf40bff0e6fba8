"""Saves notes: whatever moment saves, every note comes through here (W1, W2, W3, W5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lanekeeper.limits import Limits
from lanekeeper.memory.grounding import is_grounded
from lanekeeper.memory.refusals import Refusal, refusal
from lanekeeper.memory.rules import Note, Rival, cut_body, normalised_subject, settle
from lanekeeper.memory.tombstones import is_forgotten
from lanekeeper.memory.words import units
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.types import Json, new_id

SQL = Statements.beside(__file__)


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a note: its id when it stands now, or why it was refused. Neither: what stood goes on standing.

    ``replaced``: the words of what it took the place of, empty where nothing stood there.
    """

    id: str | None = None
    refused: Refusal | None = None
    replaced: str = ""


def objection(note: Note, said: str, *, asked: bool = False) -> Refusal | None:
    """What speaks against keeping a note, by its own words and those of the message it names; None when nothing does.

    Args:
        note: the note.
        said: the text of that message.
        asked: the person asked in so many words for this to be kept.
    """
    why = refusal(normalised_subject(note.subject), note.body, health_asked=asked)
    return why if why or is_grounded(note.source, note.body, said) else Refusal.UNGROUNDED


async def save(
    transaction: Transaction, user_id: str, note: Note, said: str, limits: Limits, *, health_asked: bool = False
) -> Saved:
    """Save a note, in the transaction of its person, and put it in the place of what it contradicts.

    Args:
        transaction: one in the name of ``user_id``.
        user_id: whose note it is.
        note: what to keep.
        said: the text of the message that the note names; a message of the person, or nothing is saved.
        limits: how much of it is kept, and for how long.
        health_asked: the person asked in so many words for this to be kept.
    """
    if (why := objection(note, said, asked=health_asked)) is not None:
        return Saved(refused=why)
    subject = normalised_subject(note.subject, limits.note_subject_chars)
    body = cut_body(note.body, limits.note_words, limits.note_bytes)
    transaction.put(SQL["lock_notes"], {"user_id": user_id})
    if await is_forgotten(transaction, user_id, note.source_message_id, subject, body, asked=health_asked):
        return Saved(refused=Refusal.FORGOTTEN)
    about = {"user_id": user_id, "subject": subject, "source_message_id": note.source_message_id}
    rows = await transaction.rows(SQL["rivals"], about)
    same = [row for row in rows if row["subject"] == subject]
    settled = settle(note.source, body, [_rival(row) for row in same])
    if not settled.kept or _is_noted(body, [row for row in rows if row["subject"] != subject]):
        return Saved()
    note_id = new_id("note")
    saved = about | {
        "id": note_id,
        "kind": note.kind,
        "body": body,
        "source": note.source,
        "language": note.language,
        "kept_days": limits.note_kept_days,
        "replaces": settled.replaces,
    }
    if not await transaction.run(SQL["save_note"], saved):
        return Saved(refused=Refusal.UNGROUNDED)
    await transaction.run(SQL["replace_notes"], saved)
    return Saved(id=note_id, replaced=" / ".join(row["body"] for row in same))


def _rival(row: Json) -> Rival:
    return Rival(id=row["id"], body=row["body"], source=row["source"], said_later=row["said_later"])


def _is_noted(body: str, of_same_message: Sequence[Json]) -> bool:
    """Whether a note tells nothing that another one of the same message does not tell under another subject.

    So what the person had kept in the turn is not kept once more by whoever reads the message later.
    """
    meant = _stems(body)
    return bool(meant) and any(meant <= _stems(f"{row['subject']}\n{row['body']}") for row in of_same_message)


def _stems(text: str) -> set[str]:
    return {unit.stem for unit in units(text) if not unit.is_small}
