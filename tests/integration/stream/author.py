"""Writes rows as accept and a worker would: a conversation, a queued turn, its chunks, its end."""

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from lanekeeper.replies import Assembly
from lanekeeper.replies.outbox import SQL, chunk_parameters
from lanekeeper.types import Json, new_id

RING = SQL["ring"]
Connection = psycopg.AsyncConnection[dict[str, Any]]


def text(text_id: str, *deltas: str) -> list[Json]:
    """A whole text part."""
    return [
        {"type": "text-start", "id": text_id},
        *({"type": "text-delta", "id": text_id, "delta": delta} for delta in deltas),
        {"type": "text-end", "id": text_id},
    ]


def reasoning(part_id: str, *deltas: str) -> list[Json]:
    """A whole reasoning part."""
    return [{**chunk, "type": chunk["type"].replace("text", "reasoning")} for chunk in text(part_id, *deltas)]


def progress(text: str, call_id: str = "call-1", **details: Any) -> Json:
    """A line of progress of a running call."""
    return {"type": "data-progress", "data": {"text": text, **details, "toolCallId": call_id}, "transient": True}


def search(call_id: str = "call-1", **end: Any) -> list[Json]:
    """A tool call and its end: a result, or ``errorText``."""
    call = {"toolCallId": call_id, "dynamic": True}
    kind = "tool-output-error" if "errorText" in end else "tool-output-available"
    return [
        {"type": "tool-input-available", **call, "toolName": "web_search", "input": {"query": "tides"}},
        {"type": kind, **call, **(end or {"output": [{"title": "Tides", "url": "https://tides.example/"}]})},
    ]


SOURCE = {"type": "source-url", "sourceId": "source-1", "url": "https://tides.example/", "title": "Tides"}
ABORT = {"type": "abort", "reason": "stopped"}
STEP, STEP_END = {"type": "start-step"}, {"type": "finish-step"}
ANSWER = [
    STEP,
    *text("text-1", "Let me ", "look."),
    *search(),
    STEP_END,
    STEP,
    *text("text-2", "Twice ", "a day."),
    SOURCE,
    STEP_END,
]


class Turn:
    """One turn, with its place in the stream."""

    def __init__(self, author: "Author", user_id: str, conversation_id: str, **ids: str) -> None:
        self.author = author
        self.user_id, self.conversation_id = user_id, conversation_id
        self.id = ids.get("turn_id") or new_id("turn")
        self.reply_id = new_id("msg")
        self.seq = 0
        self.shown = Assembly()
        self.metadata = {"turnId": self.id, "modelId": "small", "usage": {"inputTokens": 3}, "timings": {}}

    @property
    def path(self) -> str:
        return f"/chat/{self.conversation_id}/stream"

    @property
    def query(self) -> str:
        return f"turn={self.id}"

    @property
    def finish_chunk(self) -> Json:
        return {"type": "finish", "finishReason": "stop", "messageMetadata": self.metadata}

    async def begin(self) -> None:
        """The worker takes the turn up."""
        await self.author.set_state(self, "running")
        title = (await self.author.one("select title from conversations where id = %s", self.conversation_id))["title"]
        await self.say(
            {"type": "start", "messageId": self.reply_id},
            {"type": "data-conversation", "data": {"id": self.conversation_id, "title": title}, "transient": True},
            {"type": "data-turn", "data": {"turnId": self.id, "state": "running"}, "transient": True},
        )

    async def say(self, *chunks: Json, bell: bool = True) -> None:
        """Chunks of one batch, committed without waiting for the disk and announced."""
        async with self.author.connection.transaction():
            await self.author.connection.execute("set local synchronous_commit = off")
            for chunk in chunks:
                self.seq += 1
                self.shown.apply(chunk)
                await self.author.connection.execute(
                    "insert into reply_chunks (turn_id, user_id, seq, chunk) values (%s, %s, %s, %s)",
                    [self.id, self.user_id, self.seq, Jsonb(chunk)],
                )
            if bell:
                await self.author.connection.execute(
                    RING, chunk_parameters(self.id, self.seq - len(chunks) + 1, list(chunks))
                )

    async def end(self, state: str = "done", last: Json | None = None) -> None:
        """The turn's end, then its delivery."""
        await self.end_undelivered(state)
        await self.deliver(last)

    async def end_undelivered(self, state: str = "done") -> None:
        """The turn's end; its reply stands in the outbox."""
        async with self.author.connection.transaction():
            await self.author.connection.execute(
                "insert into outbox (user_id, conversation_id, turn_id, idempotency_key, intent, data)"
                " values (%s, %s, %s, %s, 'reply', '{}')",
                [self.user_id, self.conversation_id, self.id, f"reply:{self.id}"],
            )
            await self.author.set_state(self, state)

    async def deliver(self, last: Json | None = None) -> None:
        """The reply goes into the transcript, the closing chunk into the stream."""
        async with self.author.connection.transaction():
            await self.author.connection.execute(
                "insert into messages (user_id, id, conversation_id, turn_id, role, parts, metadata)"
                " values (%s, %s, %s, %s, 'assistant', %s, %s)",
                [
                    self.user_id,
                    self.reply_id,
                    self.conversation_id,
                    self.id,
                    Jsonb(self.shown.parts),
                    Jsonb(self.metadata),
                ],
            )
            await self.say(last or self.finish_chunk)
            await self.author.connection.execute("update outbox set state = 'sent' where turn_id = %s", [self.id])

    async def play(self, *chunks: Json) -> None:
        """A whole turn with these chunks, each committed by itself."""
        await self.begin()
        for chunk in chunks:
            await self.say(chunk)
        await self.end()

    async def fold_into(self, other: "Turn") -> None:
        """The message joins another turn: its own row goes."""
        async with self.author.connection.transaction():
            await self.author.connection.execute(
                "update inbox set turn_id = %s, state = 'folded' where accepted_turn_id = %s", [other.id, self.id]
            )
            await self.author.connection.execute("delete from turns where id = %s", [self.id])

    async def sweep(self) -> None:
        """Its chunks have become too old to keep."""
        await self.author.connection.execute("delete from reply_chunks where turn_id = %s", [self.id])


class Author:
    """Writes as a superuser, so every table is open to it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def one(self, statement: str, *values: object) -> dict[str, Any]:
        row = await (await self.connection.execute(statement, values)).fetchone()  # type: ignore[call-overload]
        assert row is not None
        result: dict[str, Any] = row
        return result

    async def conversation(self, user_id: str = "ana", *, alias: str | None = None, title: str = "Tides") -> str:
        await self.connection.execute("insert into users (id) values (%s) on conflict do nothing", [user_id])
        conversation_id = new_id("conv")
        await self.connection.execute(
            "insert into conversations (id, user_id, alias, title, agent_id) values (%s, %s, %s, %s, 'assistant')",
            [conversation_id, user_id, alias, title],
        )
        return conversation_id

    async def turn(self, user_id: str = "ana", conversation_id: str | None = None) -> Turn:
        """A message was accepted: its turn is queued."""
        turn = Turn(self, user_id, conversation_id or await self.conversation(user_id))
        async with self.connection.transaction():
            await self.connection.execute(
                "insert into turns (id, user_id, conversation_id, agent_id, reply_id)"
                " values (%s, %s, %s, 'assistant', %s)",
                [turn.id, user_id, turn.conversation_id, turn.reply_id],
            )
            await self.connection.execute(
                "insert into inbox (user_id, conversation_id, turn_id, accepted_turn_id, message_id, idempotency_key,"
                " body_hash, agent_id) values (%s, %s, %s, %s, %s, %s, '', 'assistant')",
                [user_id, turn.conversation_id, turn.id, turn.id, new_id("msg"), turn.id],
            )
        return turn

    async def set_state(self, turn: Turn, state: str) -> None:
        await self.connection.execute(
            "update turns set state = %s, finished_at = case when %s in ('done', 'failed', 'stopped')"
            " then lanekeeper.now() end where id = %s",
            [state, state, turn.id],
        )
