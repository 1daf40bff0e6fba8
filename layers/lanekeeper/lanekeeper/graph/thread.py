"""A thread: one conversation as the graph sees it, kept as one row a message.

The stock savers write the whole message list with every step, so a turn costs more the longer a conversation has
lasted. Here a message is written once, in the same transaction as whatever else its step did, and nothing else of a
finished run needs keeping: the next run goes on from how the messages end. Only a run that pauses for the person
leaves its checkpoint.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage
from psycopg.types.json import Jsonb

from lanekeeper.graph.message_rows import from_row, to_row
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.types import new_id

SQL = Statements.beside(__file__, "thread.sql")


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """A message and the turn that added it."""

    message: AnyMessage
    turn_id: str | None
    position: int


class Thread:
    """The messages of one conversation, loaded, and added to.

    Args:
        conversation_id: also the LangGraph thread id.
        user_id: whose conversation it is.
    """

    def __init__(self, conversation_id: str, user_id: str) -> None:
        self.id = conversation_id
        self._user_id = user_id
        self._kept: list[ThreadMessage] = []

    async def load(self, transaction: Transaction) -> None:
        """Read all messages."""
        rows = await transaction.rows(SQL["messages"], {"conversation_id": self.id})
        self._kept = [ThreadMessage(from_row(row["message"]), row["turn_id"], row["position"]) for row in rows]

    @property
    def messages(self) -> list[AnyMessage]:
        """All messages, oldest first."""
        return [kept.message for kept in self._kept]

    def of_turn(self, turn_id: str) -> list[AnyMessage]:
        """The messages that one turn added, oldest first."""
        return [kept.message for kept in self._kept if kept.turn_id == turn_id]

    async def add(self, transaction: Transaction, messages: Sequence[AnyMessage], turn_id: str) -> None:
        """Append messages as part of a transaction. Each gets an id if it has none.

        The thread knows them from here on; when the transaction fails, the thread is to be thrown away.
        """
        position = self._kept[-1].position + 1 if self._kept else 1
        added = [
            ThreadMessage(with_id(message), turn_id, position) for position, message in enumerate(messages, position)
        ]
        if added:
            await transaction.run(
                SQL["add_messages"],
                {
                    "conversation_id": self.id,
                    "user_id": self._user_id,
                    "turn_id": turn_id,
                    "first": added[0].position,
                    "messages": Jsonb([to_row(kept.message) for kept in added]),
                },
            )
            self._kept.extend(added)

    async def remove(self, transaction: Transaction, ids: Iterable[str]) -> None:
        """Remove messages by id as part of a transaction. An id that is not there is no error."""
        gone = set(ids)
        await transaction.run(SQL["remove_messages"], {"conversation_id": self.id, "ids": list(gone)})
        self._kept = [kept for kept in self._kept if kept.message.id not in gone]


def with_id(message: AnyMessage) -> AnyMessage:
    """The message, with an id of ours if it had none."""
    return message if message.id else message.model_copy(update={"id": new_id("msg")})
