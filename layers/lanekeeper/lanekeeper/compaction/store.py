"""Reads a conversation as it is to be summarised, and puts the summary in the place of its messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lanekeeper.compaction.rules import Plan
from lanekeeper.graph import ThreadMessage
from lanekeeper.graph.message_rows import from_row
from lanekeeper.postgres import Database, Statements, Transaction

SQL = Statements.beside(__file__)

ABOUT = ("name", "home_city", "plan_tier", "budget_amount", "budget_currency")


class OutdatedError(Exception):
    """What a summary was written of is no longer what is there, or is gone. Nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A conversation at one moment.

    Attributes:
        roles: what the person was to this service with their last message.
        about: what else is known of the person, by the names of its columns.
        model_id: the model of its last turn, else the one that was chosen for it.
        version: how often it was summarised.
        forgets: how often the person had something forgotten.
        summary: what was said before the first of its messages.
        running: its turns that are being answered.
        messages: the thread, oldest first.
    """

    user_id: str
    conversation_id: str
    agent_id: str
    roles: tuple[str, ...]
    about: Mapping[str, Any]
    model_id: str | None
    version: int
    forgets: int
    summary: str | None
    running: frozenset[str]
    messages: tuple[ThreadMessage, ...]

    @property
    def key(self) -> dict[str, str]:
        """The parameters that name the conversation in a statement."""
        return {"user_id": self.user_id, "conversation_id": self.conversation_id}


@dataclass(frozen=True, slots=True)
class Released:
    """What may run now.

    Attributes:
        freed: how many messages had waited for a summary.
        waits: whether a worker is to be woken.
    """

    freed: int
    waits: bool


@dataclass(frozen=True, slots=True)
class Published:
    """What a summary came to: how many messages it took the place of, and what may run now."""

    covered: int
    released: Released


async def read(database: Database, user_id: str, conversation_id: str) -> History | None:
    """The conversation as it stands; None when there is none of that person.

    Raises:
        DatabaseUnreachableError: the database did not answer.
    """
    key = {"user_id": user_id, "conversation_id": conversation_id}
    (rows,) = await database.at_once(SQL["history"], user_id=user_id, parameters=key)
    if not rows:
        return None
    row = rows[0]
    return History(
        **key,
        agent_id=row["agent_id"],
        roles=tuple(row["roles"] or ()),
        about={column: row[column] for column in ABOUT},
        model_id=row["last_model_id"] or row["model_id"],
        version=row["version"],
        forgets=row["forgets"],
        summary=row["summary"],
        running=frozenset(row["running"]),
        messages=tuple(
            ThreadMessage(from_row(message), turn_id, position) for position, turn_id, message in row["messages"]
        ),
    )


async def check(database: Database, history: History) -> None:
    """See that nothing was forgotten since a history was read: no request may be made of it then (W4).

    Raises:
        OutdatedError: something was, or the conversation is gone.
        DatabaseUnreachableError: the database did not answer.
    """
    (rows,) = await database.at_once(SQL["forgets"], user_id=history.user_id, parameters=history.key)
    if not rows or rows[0]["forgets"] != history.forgets:
        raise OutdatedError


async def publish(database: Database, history: History, plan: Plan, body: str) -> Published:
    """Put a summary in the place of the messages that it covers, and let run what waited for that. All or nothing.

    Raises:
        OutdatedError: something was summarised or forgotten since the history was read, or the conversation is gone.
        DatabaseUnreachableError: the database did not answer. It may be done all the same; a repeat is outdated.
    """
    async with database.transaction(user_id=history.user_id) as transaction:
        transaction.put(SQL["lock_lane"], history.key)
        row = await transaction.row(
            SQL["publish"],
            {
                **history.key,
                "version": history.version,
                "forgets": history.forgets,
                "message_ids": plan.ids,
                "covers_until": plan.covers_until,
                "body": body,
            },
        )
        if row is None or not row["current"]:
            raise OutdatedError
        return Published(row["gone"], await _release(transaction, history.key))


async def release(database: Database, user_id: str, conversation_id: str) -> Released:
    """Let run what waits for a summary that is not needed.

    Raises:
        DatabaseUnreachableError: the database did not answer.
    """
    key = {"user_id": user_id, "conversation_id": conversation_id}
    async with database.transaction(user_id=user_id) as transaction:
        transaction.put(SQL["lock_lane"], key)
        return await _release(transaction, key)


async def _release(transaction: Transaction, key: dict[str, str]) -> Released:
    row = await transaction.row(SQL["release"], key)
    return Released(row["freed"], row["waits"]) if row else Released(0, waits=False)
