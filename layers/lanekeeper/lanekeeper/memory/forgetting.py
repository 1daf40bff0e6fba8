"""Forgets what a person asks to be forgotten, everywhere at once: notes, search, summaries, what models are sent (W4).

The transcript keeps the person's words. Everything else that a later request could bring the fact from loses it in
one transaction, which begins with the lane's row: no turn, no compaction and no note writer writes in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from lanekeeper.limits import Limits
from lanekeeper.memory.masking import masked, state, text_of, without
from lanekeeper.memory.recall import SQL as SEARCH
from lanekeeper.memory.recall import parameters
from lanekeeper.memory.rules import Label, label, normalised_subject
from lanekeeper.memory.telling import Telling, digest
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.types import Json

SQL = Statements.beside(__file__, "forgetting.sql")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten.

    Attributes:
        subjects: of the notes that are gone; where several could have been meant, of those, and nothing is gone.
        count: how many notes that stood are gone.
        ambiguous: whether nothing was done because several could have been meant.
    """

    subjects: tuple[str, ...] = ()
    count: int = 0
    ambiguous: bool = False


async def forget(transaction: Transaction, user_id: str, subject: str, limits: Limits) -> Forgotten:
    """Forget what stands about a subject, or what the search takes it to mean.

    Args:
        transaction: one in the name of ``user_id``.
        user_id: whose notes.
        subject: what it is about, in the person's or the model's words.
        limits: how the search goes, and how many conversations are read at a time.
    """
    await _begin(transaction, user_id)
    about = normalised_subject(subject, limits.note_subject_chars)
    rows = await _chain(transaction, user_id, subject=about)
    if not rows:
        found = await _meant(transaction, user_id, subject, limits)
        if len(found) > 1:
            return Forgotten(found, ambiguous=True)
        rows = await _chain(transaction, user_id, subject=found[0]) if found else []
    return await _forget(transaction, user_id, rows, limits)


async def forget_note(transaction: Transaction, user_id: str, note_id: str, limits: Limits) -> Forgotten:
    """Forget one note that stands, in the same way; ``count`` is 0 when the person has no such note."""
    await _begin(transaction, user_id)
    rows = await _chain(transaction, user_id, note_ids=[note_id])
    return await _forget(transaction, user_id, rows, limits)


async def _begin(transaction: Transaction, user_id: str) -> None:
    transaction.put(SQL["alone"], {"user_id": user_id})
    transaction.put(SQL["lock_notes"], {"user_id": user_id})


async def _chain(
    transaction: Transaction, user_id: str, *, subject: str | None = None, note_ids: Sequence[str] = ()
) -> list[Json]:
    parameters = {"user_id": user_id, "subject": subject, "note_ids": list(note_ids)}
    return await transaction.rows(SQL["chain"], parameters)


async def _meant(transaction: Transaction, user_id: str, subject: str, limits: Limits) -> tuple[str, ...]:
    """The subject that the search agrees on, or those among which it does not."""
    asked = parameters(subject, at_most=limits.recall_notes, matches=limits.recall_matches, chars=limits.recall_chars)
    hits = await transaction.rows(SEARCH["recall"], asked)
    shares = [(str(hit["subject"]), float(hit["share"])) for hit in hits]
    match label(shares):
        case Label.ASK:
            return ()
        case Label.AGREED:
            return (max(shares, key=lambda share: share[1])[0],)
        case Label.AMBIGUOUS:
            return tuple(dict.fromkeys(name for name, _ in shares))


async def _forget(transaction: Transaction, user_id: str, rows: Sequence[Json], limits: Limits) -> Forgotten:
    if not rows:
        return Forgotten()
    person = {"user_id": user_id}
    known = [name for name in (await transaction.row(SQL["called"], person) or {}).values() if name]
    facts = [Telling.of(row["subject"], row["body"], said=text_of(row["parts"]), known=known) for row in rows]
    note_ids = {row["id"] for row in rows}
    others = await transaction.rows(SQL["newest"], {"user_id": user_id, "limit": limits.forget_notes})
    again = [row["id"] for row in others if row["id"] not in note_ids and _says_again(facts, row)]
    gone = [*rows, *(await _chain(transaction, user_id, note_ids=again) if again else ())]
    removed = {"user_id": user_id, "note_ids": [row["id"] for row in gone]}
    for statement in ("remove", "drop_late", "drop_requests", "count_forgetting"):
        transaction.put(SQL[statement], removed)
    stones = [_tombstone(user_id, row, fact) for row, fact in zip(rows, facts, strict=True)]
    transaction.put(SQL["bury"], {"user_id": user_id, "tombstones": Jsonb(stones)})
    await _clear(transaction, user_id, facts, {row["source_message_id"] for row in rows}, limits)
    stood = [row["subject"] for row in gone if row["stands"]]
    return Forgotten(tuple(dict.fromkeys(stood)), len(stood))


def _says_again(facts: Sequence[Telling], note: Json) -> bool:
    return any(fact.is_told_by(f"{note['subject']}\n{note['body']}") for fact in facts)


def _tombstone(user_id: str, row: Json, fact: Telling) -> Json:
    return {
        "id": row["id"],
        "subject": digest(user_id, row["subject"]),
        "digests": sorted(digest(user_id, word) for word in fact.alone),
        "together": sorted(digest(user_id, word) for word in fact.together),
    }


async def _clear(
    transaction: Transaction, user_id: str, facts: Sequence[Telling], sources: set[str], limits: Limits
) -> None:
    """Take the facts out of whatever a later request is made from."""
    for summary in await transaction.rows(SQL["summaries"], {"user_id": user_id}):
        if (body := without(facts, summary["body"])) != summary["body"]:
            transaction.put(SQL["shorten"], {**summary, "user_id": user_id, "body": body})
    after = ""
    while True:
        place = {"user_id": user_id, "after": after, "limit": limits.forget_conversations}
        ids = [row["id"] for row in await transaction.rows(SQL["conversations"], place)]
        if not ids:
            return
        here = {"user_id": user_id, "conversation_ids": ids}
        rows = await transaction.rows(SQL["threads"], here)
        hidden = [
            {"conversation_id": row["conversation_id"], "position": row["position"], "message": clean}
            for row in rows
            if (clean := masked(row["message"], facts, whole=row["message"]["id"] in sources)) is not None
        ]
        transaction.put(SQL["mask"], {"user_id": user_id, "rows": Jsonb(hidden)})
        unread = await transaction.rows(SQL["unread"], here)
        stating = [row["id"] for row in unread if row["id"] in sources or state(facts, text_of(row["parts"]))]
        transaction.put(SQL["keep_from_writer"], {"user_id": user_id, "message_ids": stating})
        after = ids[-1]
