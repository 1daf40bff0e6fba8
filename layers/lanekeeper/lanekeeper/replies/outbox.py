"""The one way out: a reply is written with the turn's end, then delivered, each exactly once."""

from dataclasses import dataclass

from psycopg.types.json import Jsonb

from lanekeeper.lane import RELEASE, Hold
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.types import Json

SQL = Statements.beside(__file__)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a turn says to its person.

    Args:
        message_id: the transcript's id, and the stream's.
        parts: UI message parts, as the client assembled them.
        metadata: the finish chunk's message metadata.
        closing: the chunks that end the stream, the first of them with the number ``closing_seq``.
    """

    conversation_id: str
    turn_id: str
    message_id: str
    parts: list[Json]
    metadata: Json
    closing: list[Json]
    closing_seq: int


async def send(transaction: Transaction, hold: Hold, intent: str, reply: Reply) -> None:
    """Put a reply in the outbox, in the transaction that ends its turn. A second time does nothing (E4)."""
    transaction.put(
        SQL["put_in_outbox"],
        {
            "user_id": hold.user_id,
            "conversation_id": reply.conversation_id,
            "turn_id": reply.turn_id,
            "idempotency_key": f"reply:{reply.turn_id}",
            "intent": intent,
            "data": Jsonb(
                {
                    "messageId": reply.message_id,
                    "parts": reply.parts,
                    "metadata": reply.metadata,
                    "closing": [_without_metadata(chunk) for chunk in reply.closing],
                    "closingSeq": reply.closing_seq,
                }
            ),
        },
    )


def _without_metadata(chunk: Json) -> Json:
    """A closing chunk as it is kept: delivery puts the reply's metadata back into the one that finishes it."""
    return {name: value for name, value in chunk.items() if name != "messageMetadata"}


async def deliver(transaction: Transaction, hold: Hold) -> None:
    """Deliver what waits in a person's outbox, in order.

    Under the lane's hold, so that a reply stands in the transcript before the next turn begins. The stream's closing
    chunks come with it: who sees a turn finish finds its reply in the transcript.
    """
    transaction.put(SQL["deliver"], {"user_id": hold.user_id})


async def deliver_and_release(database: Database, hold: Hold) -> None:
    """Deliver, and give the lane back.

    Raises:
        LaneLostError: another worker has the lane by now, and delivers.
    """
    await hold.at_once(database, SQL["deliver"], *RELEASE, parameters={})


def chunk_parameters(turn_id: str, first: int, chunks: list[Json]) -> Json:
    """The parameters of ``append_chunks`` and ``ring``, but for the person."""
    return {"turn_id": turn_id, "first": first, "last": first + len(chunks) - 1, "chunks": Jsonb(chunks)}
