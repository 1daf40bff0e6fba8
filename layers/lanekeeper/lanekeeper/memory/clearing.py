"""Takes forgotten facts out of all that later requests are made from: summaries, threads, what is unread (W4)."""

from collections.abc import AsyncIterator, Sequence, Set
from datetime import datetime

from psycopg.types.json import Jsonb

from lanekeeper.limits import Limits
from lanekeeper.memory.masking import masked, state, text_of, without
from lanekeeper.memory.telling import Telling
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.types import Json

SQL = Statements.beside(__file__, "clearing.sql")


async def clear(
    transaction: Transaction, user_id: str, facts: Sequence[Telling], sources: Set[str], limits: Limits
) -> int:
    """Clear all of a person's conversations; how many messages a model is no longer sent as they were.

    Args:
        transaction: one in the name of ``user_id`` that keeps everybody else from writing.
        user_id: whose.
        facts: what is forgotten.
        sources: ids of messages that state it, whatever their words look like.
        limits: how many conversations are read at a time.
    """
    for summary in await transaction.rows(SQL["summaries"], {"user_id": user_id}):
        if (body := without(facts, summary["body"])) != summary["body"]:
            transaction.put(SQL["shorten"], {**summary, "user_id": user_id, "body": body})
    cleared = 0
    async for here in pages(transaction, user_id, limits):
        rows = await transaction.rows(SQL["threads"], here)
        carried = await _carriers(transaction, user_id, rows, facts)
        hidden = _hidden(rows, facts, sources | carried)
        transaction.put(SQL["mask"], {**here, "rows": Jsonb(hidden)})
        unread = await transaction.rows(SQL["unread"], here)
        stating = [row["id"] for row in unread if row["id"] in sources or state(facts, text_of(row["parts"]))]
        transaction.put(SQL["keep_from_writer"], {"user_id": user_id, "message_ids": stating})
        cleared += len(hidden)
    return cleared


async def clear_again(transaction: Transaction, user_id: str, turn_id: str, since: datetime) -> None:
    """Clear what a model has added in one turn of all that was forgotten since it began, its reply included.

    It may have been asked before that, and have said it once more afterwards. Nobody knows the words by then, but their
    digests tell.
    """
    stones = await transaction.rows(SQL["stones_since"], {"user_id": user_id, "since": since})
    facts = [Telling(frozenset(row["digests"]), frozenset(row["together"]), owner=user_id) for row in stones]
    if not facts:
        return
    turn = {"user_id": user_id, "turn_id": turn_id}
    hidden = _hidden(await transaction.rows(SQL["of_turn"], turn), facts, frozenset())
    here = {"user_id": user_id, "conversation_ids": [row["conversation_id"] for row in hidden[:1]]}
    transaction.put(SQL["mask"], {**here, "rows": Jsonb(hidden)})
    replies = await transaction.rows(SQL["reply"], turn)
    stating = [row["idempotency_key"] for row in replies if state(facts, text_of(row["parts"]))]
    transaction.put(SQL["keep_reply_from_writer"], {"user_id": user_id, "keys": stating})


async def pages(transaction: Transaction, user_id: str, limits: Limits) -> AsyncIterator[Json]:
    """A person's conversations, some at a time, as the parameters by which their messages are read."""
    after = ""
    while True:
        place = {"user_id": user_id, "after": after, "limit": limits.forget_conversations}
        ids = [row["id"] for row in await transaction.rows(SQL["conversations"], place)]
        if not ids:
            return
        yield {"user_id": user_id, "conversation_ids": ids}
        after = ids[-1]


async def _carriers(transaction: Transaction, user_id: str, rows: Sequence[Json], facts: Sequence[Telling]) -> set[str]:
    """The messages whose files state a fact: without the message, a file is no longer shown to a model."""
    messages: dict[str, set[str]] = {}
    for row in rows:
        content = row["message"]["content"]
        for part in content if row["message"]["type"] == "human" and isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "upload":
                messages.setdefault(part["id"], set()).add(row["message"]["id"])
    found: set[str] = set()
    # One at a time: each may be as long as a book.
    for upload_id, carriers in messages.items():
        upload = await transaction.row(SQL["upload"], {"user_id": user_id, "id": upload_id})
        if upload is not None and state(facts, upload["told"]):
            found |= carriers
    return found


def _hidden(rows: Sequence[Json], facts: Sequence[Telling], sources: Set[str]) -> list[Json]:
    return [
        {"conversation_id": row["conversation_id"], "position": row["position"], "message": clean}
        for row in rows
        if (clean := masked(row["message"], facts, whole=row["message"]["id"] in sources)) is not None
    ]
