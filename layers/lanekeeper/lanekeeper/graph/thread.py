"""A thread: one conversation as the graph sees it, kept as one row a message.

The stock savers write the whole message list with every step, so a turn costs more the longer a conversation has
lasted. Here a message is written once, in the same transaction as whatever else its step did, and nothing else of a
finished run needs keeping: the next run goes on from how the messages end. Only a run that pauses for the person
leaves its checkpoint.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage
from psycopg.types.json import Jsonb

from lanekeeper.graph.message_rows import from_row, to_row
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.traces import span
from lanekeeper.types import new_id

SQL = Statements.beside(__file__, "thread.sql")
# Counts what the person of a transaction has had forgotten.
FORGETS = SQL["forgets"]


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """A message and the turn that added it."""

    message: AnyMessage
    turn_id: str | None
    position: int = 0


class Thread:
    """The messages of one conversation: added to by whoever holds its person's lane, read when they are needed.

    ``summary`` is what was said before the first of them, in short; None while nothing was left out. ``forgot`` is
    whether something was forgotten since it was first loaded, so that what was found before may not be told any more.

    Args:
        conversation_id: also the LangGraph thread id.
        user_id: whose conversation it is.
    """

    def __init__(self, conversation_id: str, user_id: str) -> None:
        self.id = conversation_id
        self._user_id = user_id
        self._kept: list[ThreadMessage] = []
        self._forgets: int | None = None
        self.summary: str | None = None
        self.forgot = False

    def saw_forgetting(self, forgets: int) -> bool:
        """Whether anything was forgotten since it was first loaded, by the count of ``FORGETS``: load it anew (W4)."""
        return self._forgets is not None and forgets != self._forgets

    async def load(self, database: Database) -> None:
        """Read all messages anew, and the summary of what came before them: in one statement, so that they fit."""
        with span("history"):
            # Counted first: what is forgotten in between is found out by the next look.
            counted, rows = await database.at_once(
                SQL["forgets"],
                SQL["messages"],
                user_id=self._user_id,
                parameters={"conversation_id": self.id},
                durable=False,
            )
        if self._forgets is None and counted:
            self._forgets = counted[0]["forgets"]
        first = rows[0] if rows and rows[0]["summary"] is not None else None
        self.summary = first["summary"] if first else None
        self._kept = [
            ThreadMessage(from_row(row["message"]), row["turn_id"], row["position"]) for row in rows[bool(first) :]
        ]

    @property
    def messages(self) -> list[AnyMessage]:
        """All messages, oldest first."""
        return [kept.message for kept in self._kept]

    def of_turn(self, turn_id: str) -> list[AnyMessage]:
        """The messages that one turn added, oldest first."""
        return [kept.message for kept in self._kept if kept.turn_id == turn_id]

    async def add(self, transaction: Transaction, messages: Sequence[AnyMessage], turn_id: str) -> None:
        """Append messages as part of a transaction. Each gets an id if it has none.

        The thread knows them from here on; when the transaction fails, it is to be loaded anew.
        """
        if not messages:
            return
        added = [ThreadMessage(with_id(message), turn_id) for message in messages]
        transaction.put(
            SQL["add_messages"],
            {
                "conversation_id": self.id,
                "user_id": self._user_id,
                "turn_id": turn_id,
                "messages": Jsonb([to_row(kept.message) for kept in added]),
            },
        )
        self._kept.extend(added)


def with_id(message: AnyMessage) -> AnyMessage:
    """The message, with an id of ours if it had none."""
    return message if message.id else message.model_copy(update={"id": new_id("msg")})
