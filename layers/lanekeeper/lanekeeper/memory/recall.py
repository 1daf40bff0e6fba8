"""Recall: exact search among one person's notes, and what code makes of the hits (R1, R3)."""

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import psycopg

from lanekeeper.errors import DatabaseUnreachableError
from lanekeeper.limits import Limits
from lanekeeper.memory.rules import Label, bare, cut_to_bytes, label
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__)

LIKELY = ("en", "de", "es", "fr", "it", "pt", "nl")
"""Whose endings a note may have lost, where a text is too short to tell its language."""

_DEFAULTS = Limits()
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A note that fits a message.

    ``saved_at`` is aware. ``share`` is how much of the message's own weight the note holds, 0 to 1; a rare word weighs
    more than a common one.
    """

    id: str
    kind: str
    subject: str
    body: str
    source: str
    source_message_id: str
    saved_at: datetime
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a message brought back, best first, and what to do with it."""

    label: Label
    hits: tuple[Hit, ...]


def parameters(
    message: str,
    *,
    languages: Sequence[str] = (),
    aliases: Mapping[str, Sequence[str]] | None = None,
    at_most: int = _DEFAULTS.recall_notes,
    matches: int = _DEFAULTS.recall_matches,
    chars: int = _DEFAULTS.recall_chars,
) -> Json:
    """The parameters of the search for a message.

    Args:
        message: what the person wrote. Any text is safe: no sign in it is an operator.
        languages: codes such as ``de`` of the languages that notes may be in; English always comes along.
        aliases: other words for a word, which stands in lower case and without accents; those whose word the message
            holds are searched for too, and count less.
        at_most: hits wanted.
        matches: notes that are read, the newest first; older ones are found by their rare words alone.
        chars: characters of the message, from its beginning, that are searched for.
    """
    said = message.replace("\0", " ").encode("utf-8", "ignore").decode()[:chars]
    words = dict.fromkeys(_WORD.findall(bare(said))) if aliases else {}
    others = [other for word in words for other in (aliases or {}).get(word, ())]
    known = list(dict.fromkeys(["en", *(language for language in languages if language)]))
    return {"message": said, "languages": known, "aliases": others, "at_most": at_most, "matches": matches}


async def recall(
    database: Database,
    user_id: str,
    message: str,
    limits: Limits,
    *,
    languages: Sequence[str] = (),
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> Recalled:
    """Search one person's notes for what a message speaks of.

    The person is the transaction's own, never a word of the message: see the function in the migrations.

    Raises:
        DatabaseUnreachableError: the database did not answer.
    """
    asked = parameters(
        message,
        languages=languages,
        aliases=aliases,
        at_most=limits.recall_notes,
        matches=limits.recall_matches,
        chars=limits.recall_chars,
    )
    (rows,) = await database.at_once(SQL["recall"], user_id=user_id, parameters=asked, durable=False)
    hits = tuple(Hit(**{name: row[name] for name in Hit.__dataclass_fields__}) for row in rows)
    return Recalled(label([(hit.subject, hit.share) for hit in hits]), cut(hits, limits.recall_bytes))


async def warm_up(database: Database) -> None:
    """Dial, and have Postgres load what a search needs, before the first one is waited for. Never raises."""
    with contextlib.suppress(DatabaseUnreachableError, psycopg.Error):
        await recall(database, "", "warm", _DEFAULTS)


def cut(hits: Sequence[Hit], most_bytes: int) -> tuple[Hit, ...]:
    """The first hits whose bodies come to ``most_bytes`` in UTF-8 at most; the first one, shortened, in any case."""
    kept: list[Hit] = []
    left = most_bytes
    for hit in hits:
        size = len(hit.body.encode())
        if size > left:
            if kept:
                break
            return (_shortened(hit, most_bytes),)
        kept.append(hit)
        left -= size
    return tuple(kept)


def _shortened(hit: Hit, most_bytes: int) -> Hit:
    return replace(hit, body=cut_to_bytes(hit.body, most_bytes))
