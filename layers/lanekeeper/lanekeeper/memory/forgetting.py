"""Forgets what a person asks to be forgotten, everywhere at once: notes, search, summaries, what models are sent (W4).

The transcript keeps the person's words. Everything else that a later request could bring the fact from loses it in
one transaction, which begins with the lane's row: no turn, no compaction and no note writer writes in between.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from lanekeeper.limits import Limits
from lanekeeper.memory import clearing
from lanekeeper.memory.aliases import aliases
from lanekeeper.memory.masking import text_of
from lanekeeper.memory.recall import LIKELY, parameters
from lanekeeper.memory.recall import SQL as SEARCH
from lanekeeper.memory.rules import Label, label, normalised_subject
from lanekeeper.memory.telling import Telling, digest
from lanekeeper.memory.unnoted import is_about, said_about
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.types import Json, new_id

SQL = Statements.beside(__file__, "forgetting.sql")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten.

    Attributes:
        subjects: of the notes that are gone; where several could have been meant, of those, and nothing is gone.
        count: how many notes that stood are gone.
        messages: how many messages a model is no longer sent as they were.
        summaries: how many summaries stated what no note and no message did any more.
        ambiguous: whether nothing was done because several could have been meant.
    """

    subjects: tuple[str, ...] = ()
    count: int = 0
    messages: int = 0
    summaries: int = 0
    ambiguous: bool = False

    @property
    def anything(self) -> bool:
        """Whether there was something to forget."""
        return bool(self.count or self.messages or self.summaries)


@dataclass(frozen=True, slots=True)
class _Fact:
    """A fact to be forgotten: under which id and subject it is buried, and the words that tell it."""

    id: str
    subject: str
    telling: Telling


async def forget(transaction: Transaction, user_id: str, subject: str, limits: Limits) -> Forgotten:
    """Forget what stands about a subject, or what the search takes it to mean, or what was merely said of it.

    Args:
        transaction: one in the name of ``user_id``.
        user_id: whose notes.
        subject: what it is about, in the person's or the model's words.
        limits: how the search goes, and how much is looked through.
    """
    begin(transaction, user_id)
    about = normalised_subject(subject, limits.note_subject_chars)
    rows = await _chain(transaction, user_id, subject=about)
    if not rows:
        found = await _meant(transaction, user_id, subject, limits)
        if len(found) > 1:
            return Forgotten(found, ambiguous=True)
        rows = await _chain(transaction, user_id, subject=found[0]) if found else []
    if rows:
        return await _forget_notes(transaction, user_id, rows, limits)
    return await _forget_said(transaction, user_id, about, limits)


async def forget_note(transaction: Transaction, user_id: str, note_id: str, limits: Limits) -> Forgotten | None:
    """Forget one note in the same way, also one that was replaced; None when the person has no such note."""
    begin(transaction, user_id)
    rows = await _chain(transaction, user_id, note_ids=[note_id])
    return await _forget_notes(transaction, user_id, rows, limits) if rows else None


def begin(transaction: Transaction, user_id: str) -> None:
    """Keep everybody else from writing. It comes before any note is saved in the same transaction: note writers take
    the same two locks in this order.
    """
    transaction.put(SQL["alone"], {"user_id": user_id})
    transaction.put(SQL["lock_notes"], {"user_id": user_id})


async def _chain(
    transaction: Transaction, user_id: str, *, subject: str | None = None, note_ids: Sequence[str] = ()
) -> list[Json]:
    named = {"user_id": user_id, "subject": subject, "note_ids": list(note_ids)}
    return await transaction.rows(SQL["chain"], named)


async def _meant(transaction: Transaction, user_id: str, subject: str, limits: Limits) -> tuple[str, ...]:
    """The subject that the search agrees on, or those among which it does not."""
    asked = parameters(
        subject,
        languages=LIKELY,
        aliases=aliases(),
        at_most=limits.recall_notes,
        matches=limits.recall_matches,
        chars=limits.recall_chars,
    )
    hits = await transaction.rows(SEARCH["recall"], asked)
    shares = [(str(hit["subject"]), float(hit["share"])) for hit in hits]
    match label(shares):
        case Label.ASK:
            return ()
        case Label.AGREED:
            return (max(shares, key=lambda share: share[1])[0],)
        case Label.AMBIGUOUS:
            return tuple(dict.fromkeys(name for name, _ in shares))


async def _forget_notes(transaction: Transaction, user_id: str, rows: Sequence[Json], limits: Limits) -> Forgotten:
    known = await _names(transaction, user_id)
    facts = [_Fact(row["id"], row["subject"], _telling(row, known)) for row in rows]
    note_ids = {row["id"] for row in rows}
    others = await transaction.rows(SQL["newest"], {"user_id": user_id, "limit": limits.forget_notes})
    again = [row["id"] for row in others if row["id"] not in note_ids and _says_again(facts, row)]
    gone = [*rows, *(await _chain(transaction, user_id, note_ids=again) if again else ())]
    stood = [row["subject"] for row in gone if row["stands"]]
    sources = {row["source_message_id"] for row in rows}
    removed = {row["id"] for row in gone}
    cleared = await _bury(transaction, user_id, facts, limits, sources=sources, note_ids=removed)
    return Forgotten(tuple(dict.fromkeys(stood)), len(stood), cleared)


async def _forget_said(transaction: Transaction, user_id: str, about: str, limits: Limits) -> Forgotten:
    """Forget what the person said of a subject, though no note of that name was made of it: in messages, or in what a
    summary has of them.

    Notes that tell the same go too. Those that may be about something else are named instead, and nothing is gone.
    """
    known = await _names(transaction, user_id)
    summaries = await transaction.rows(clearing.SQL["summaries"], {"user_id": user_id})
    summed_up = [telling for row in summaries if (telling := said_about(about, row["body"], known))]
    stated: dict[Telling, None] = dict.fromkeys(telling for one in summed_up for telling in one)
    async for here in clearing.pages(transaction, user_id, limits):
        for row in await transaction.rows(SQL["said"], here):
            stated |= dict.fromkeys(said_about(about, text_of(row["content"]), known))
    if not stated:
        return Forgotten()
    facts = [_Fact(new_id("said"), about, telling) for telling in stated]
    notes = await transaction.rows(SQL["newest"], {"user_id": user_id, "limit": limits.forget_notes})
    told = [row for row in notes if _says_again(facts, row)]
    meant = [row["id"] for row in told if is_about(about, f"{row['subject']}\n{row['body']}")]
    if told and not meant:
        return Forgotten(tuple(dict.fromkeys(row["subject"] for row in told)), ambiguous=True)
    gone = await _chain(transaction, user_id, note_ids=meant) if meant else []
    facts += [_Fact(row["id"], row["subject"], _telling(row, known)) for row in gone]
    sources = {row["source_message_id"] for row in gone}
    removed = {row["id"] for row in gone}
    messages = await _bury(transaction, user_id, facts, limits, sources=sources, note_ids=removed)
    stood = [row["subject"] for row in gone if row["stands"]]
    return Forgotten(tuple(dict.fromkeys(stood)), len(stood), messages, len(summed_up))


async def _bury(
    transaction: Transaction,
    user_id: str,
    facts: Sequence[_Fact],
    limits: Limits,
    *,
    sources: Set[str] = frozenset(),
    note_ids: Set[str] = frozenset(),
) -> int:
    """Take facts and notes away for good; how many messages a model is no longer sent as they were."""
    removed = {"user_id": user_id, "note_ids": sorted(note_ids)}
    for statement in ("remove", "drop_late", "drop_requests", "count_forgetting"):
        transaction.put(SQL[statement], removed)
    stones = [
        {
            "id": fact.id,
            "subject": digest(user_id, fact.subject),
            "digests": sorted(digest(user_id, word) for word in fact.telling.alone),
            "together": sorted(digest(user_id, word) for word in fact.telling.together),
        }
        for fact in facts
    ]
    transaction.put(SQL["bury"], {"user_id": user_id, "tombstones": Jsonb(stones)})
    return await clearing.clear(transaction, user_id, [fact.telling for fact in facts], sources, limits)


async def _names(transaction: Transaction, user_id: str) -> list[str]:
    """What the person is called: in itself that gives nothing away."""
    return [name for name in (await transaction.row(SQL["called"], {"user_id": user_id}) or {}).values() if name]


def _telling(note: Json, known: Sequence[str]) -> Telling:
    return Telling.of(note["subject"], note["body"], said=text_of(note["parts"]), known=known)


def _says_again(facts: Sequence[_Fact], note: Json) -> bool:
    return any(fact.telling.is_told_by(f"{note['subject']}\n{note['body']}") for fact in facts)
