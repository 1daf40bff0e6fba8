"""What the stream reads, and the one small row it writes: that it is open."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import LiteralString

from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Statements
from lanekeeper.postgres.transaction import Row
from lanekeeper.types import Json, new_id

SQL = Statements.beside(__file__)

# Rows of one look: a long replay goes out in pieces of this many events.
MOST_CHUNKS = 500

# How a turn stands, None when it is gone, and its next chunks.
Look = tuple[Row | None, list[Row]]


@dataclass(slots=True)
class Session:
    """One open stream. ``opened_at`` is set when it is first kept, and orders a person's streams."""

    user_id: str
    id: str = field(default_factory=lambda: new_id("stream"))
    opened_at: datetime | None = None


class StreamStore:
    """The stream's statements on one connection."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits
        self._silent_s = 3 * limits.stream_seen_s

    async def find(
        self, user_id: str, conversation_id: str, turn_id: str | None, after: int
    ) -> tuple[Row | None, Look | None]:
        """The conversation and the turn asked for; None when the person has no such conversation.

        ``turn_id`` in the row is None when the conversation has no such turn, or none that is not over. A turn that was
        named is looked at by the way, as ``glance`` does.
        """
        parameters: Json = {"conversation_id": conversation_id, "turn_id": turn_id}
        if turn_id is None:
            (found,) = await self._database.at_once(SQL["find"], user_id=user_id, parameters=parameters)
            return (found[0] if found else None), None
        parameters |= self._looking(Session(user_id), turn_id, after)
        found, turns, chunks = await self._database.at_once(
            SQL["find"], SQL["glance"], SQL["chunks"], user_id=user_id, parameters=parameters
        )
        return (found[0] if found else None), ((turns[0] if turns else None), chunks)

    async def chunks(self, user_id: str, turn_id: str, after: int) -> list[Row]:
        """The next chunks of a turn."""
        (rows,) = await self._database.at_once(
            SQL["chunks"], user_id=user_id, parameters={"turn_id": turn_id, "after": after, "most": MOST_CHUNKS}
        )
        return rows

    async def glance(self, session: Session, turn_id: str, after: int) -> Look:
        """How a turn stands and, read later, so that a turn that is over has all of them, its next chunks.

        The row is None when the turn is gone. Its ``turn_id`` is another one's once the turn's message was folded
        into that; the chunks are then those of the turn named here.
        """
        turns, chunks = await self._database.at_once(
            SQL["glance"],
            SQL["chunks"],
            user_id=session.user_id,
            parameters=self._looking(session, turn_id, after),
        )
        return (turns[0] if turns else None), chunks

    def _looking(self, session: Session, turn_id: str, after: int) -> Json:
        return {
            "session_id": session.id,
            "opened_at": session.opened_at,
            "silent_s": self._silent_s,
            "turn_id": turn_id,
            "after": after,
            "most": MOST_CHUNKS,
        }

    async def language(self, user_id: str, turn_id: str) -> str:
        """The language that a turn's conversation was last held in; empty where that is not known."""
        (rows,) = await self._database.at_once(SQL["language"], user_id=user_id, parameters={"turn_id": turn_id})
        return str(rows[0]["language"][0]) if rows and rows[0]["language"] else ""

    async def transcript(self, user_id: str, turn_id: str) -> Row | None:
        """A finished turn and its message, as ``retold`` takes them."""
        (rows,) = await self._database.at_once(SQL["transcript"], user_id=user_id, parameters={"turn_id": turn_id})
        return rows[0] if rows else None

    async def keep_session(self, session: Session) -> int:
        """Say that a stream is still open; how many are, counted up to one more than may listen.

        The first time removes the sessions that dead processes have left behind.
        """
        statements = [SQL["keep_session"]]
        if session.opened_at is None:
            statements.insert(0, SQL["forget_sessions"])
        parameters: Json = {
            "session_id": session.id,
            "opened_at": session.opened_at,
            "silent_s": self._silent_s,
            "forgotten_s": 2 * self._silent_s,
            "at_most": self._limits.listen_streams + 1,
        }
        (*_, (row,)) = await self._database.at_once(
            *statements, user_id=session.user_id, parameters=parameters, durable=False
        )
        session.opened_at = row["opened_at"]
        open_streams: int = row["open_streams"]
        return open_streams

    async def close_session(self, session: Session, *along: LiteralString) -> None:
        """Take a stream that ends out of the count. Statements that are to go along run first."""
        await self._database.at_once(
            *along,
            SQL["close_session"],
            user_id=session.user_id,
            parameters={"session_id": session.id},
            durable=False,
        )
