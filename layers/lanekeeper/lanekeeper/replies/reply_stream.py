"""Writes a turn's reply as chunks while it comes into being.

Every method says what is to be shown, not what to send: what has been shown already is left out. So a worker that
takes up a dead one's turn calls the same methods over its recorded steps, and the stream goes on where it broke off.
"""

import asyncio
from collections.abc import Mapping, Sequence

from lanekeeper import clock
from lanekeeper.lane import Hold
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database
from lanekeeper.replies.assembly import Assembly
from lanekeeper.replies.outbox import SQL, chunk_parameters
from lanekeeper.types import Json


class ReplyStream:
    """The chunks of one turn.

    Args:
        database: a connection of its own, so that text flows while the turn's other work goes on.
        hold: the lane's hold, checked by every write.
        turn_id: whose chunks these are.
        limits: how long text is gathered.
    """

    def __init__(self, database: Database, hold: Hold, turn_id: str, limits: Limits) -> None:
        self._database = database
        self._hold = hold
        self._turn_id = turn_id
        self._batch_s = limits.chunk_batch_ms / 1000
        self._pending: list[Json] = []
        self._flushed_at = 0.0
        self._flush_task: asyncio.Task[None] | None = None
        self._broken: Exception | None = None
        self._writing = asyncio.Lock()
        self._seq = 0
        self.shown = Assembly()
        self.stop_wanted = asyncio.Event()
        self.first_text_at: float | None = None

    async def restore(self) -> None:
        """Take up the stream where its stored chunks end. What was said and not written yet is dropped."""
        self._pending.clear()
        if self._flush_task is not None:
            await asyncio.wait({self._flush_task})
            self._flush_task = None
        self._broken = None
        (rows,) = await self._database.at_once(
            SQL["chunks"], user_id=self._hold.user_id, parameters={"turn_id": self._turn_id}
        )
        self.shown = Assembly()
        self._seq = 0
        for row in rows:
            self.shown.apply(row["chunk"])
            self._seq = row["seq"]

    @property
    def next_seq(self) -> int:
        """The number of the next chunk. All that was said must be flushed."""
        return self._seq + 1

    def open(self, reply_id: str, conversation: Json, turn: Json) -> None:
        """Begin the message: its id, its conversation, its turn."""
        if not self.shown.started:
            self._say({"type": "start", "messageId": reply_id})
            self._say({"type": "data-conversation", "data": conversation, "transient": True})
            self._say({"type": "data-turn", "data": turn, "transient": True})

    def begin_step(self, step: int) -> None:
        """Begin the turn's step number ``step``, counted from 1."""
        if self.shown.steps < step:
            self._say({"type": "start-step"})

    def end_step(self, step: int) -> None:
        """End the turn's step number ``step``."""
        if self.shown.steps == step and self.shown.step_open:
            self._say({"type": "finish-step"})

    def text_so_far(self, step: int) -> str:
        """The text of a step that has been shown."""
        if self.shown.steps == step and self.shown.open_text:
            return self.shown.open_text[1]
        return ""

    def text(self, step: int, delta: str) -> None:
        """Show more text of a step. It is written within the batch time."""
        if not delta:
            return
        if self.shown.open_text is None:
            self._say({"type": "text-start", "id": f"text-{step}"})
        self._say({"type": "text-delta", "id": f"text-{step}", "delta": delta})
        if self.first_text_at is None:
            self.first_text_at = clock.monotonic()
        self._schedule()

    def complete_text(self, step: int, text: str) -> None:
        """Show what is missing of a step's whole text, and close it."""
        if self.shown.steps != step or not self.shown.step_open or self.shown.step_text_closed:
            return
        self.text(step, text[len(self.text_so_far(step)) :])
        if self.shown.open_text:
            self._say({"type": "text-end", "id": self.shown.open_text[0]})

    def call(self, call_id: str, name: str, arguments: Mapping[str, object]) -> None:
        """Show a tool call."""
        if not self.shown.shows_call(call_id):
            self._say(
                {
                    "type": "tool-input-available",
                    "toolCallId": call_id,
                    "toolName": name,
                    "input": dict(arguments),
                    "dynamic": True,
                }
            )

    def result(self, call_id: str, output: object) -> None:
        """Show the result of a tool call."""
        if call_id in self.shown.open_calls:
            self._say({"type": "tool-output-available", "toolCallId": call_id, "output": output, "dynamic": True})

    def failure(self, call_id: str, text: str) -> None:
        """Show that a tool call failed, in plain words."""
        if call_id in self.shown.open_calls:
            self._say({"type": "tool-output-error", "toolCallId": call_id, "errorText": text, "dynamic": True})

    def sources(self, sources: Sequence[Mapping[str, str]]) -> None:
        """Show where an answer comes from."""
        for source in sources:
            if not self.shown.shows_source(source["url"]):
                number = sum(part["type"] == "source-url" for part in self.shown.parts) + 1
                self._say(
                    {
                        "type": "source-url",
                        "sourceId": f"source-{number}",
                        "url": source["url"],
                        "title": source["title"],
                    }
                )

    def joined(self, message_id: str) -> None:
        """Say that a message sent meanwhile is answered by this turn."""
        if message_id not in self.shown.joined:
            self._say({"type": "data-joined", "data": {"messageId": message_id}, "transient": True})

    def status(self, text: str) -> None:
        """Tell what is being waited for. It is shown while it lasts and never becomes part of the reply (T3)."""
        self._say({"type": "data-status", "data": {"text": text}, "transient": True})
        self._schedule()

    def _say(self, chunk: Json) -> None:
        self.shown.apply(chunk)
        if chunk["type"] == "text-delta" and self._pending:
            last = self._pending[-1]
            if last["type"] == "text-delta" and last["id"] == chunk["id"]:
                last["delta"] += chunk["delta"]
                return
        self._pending.append(dict(chunk))

    def _schedule(self) -> None:
        if self._broken is not None:
            raise self._broken
        if self._flush_task is None or self._flush_task.done():
            wait = self._flushed_at + self._batch_s - clock.monotonic()
            self._flush_task = asyncio.create_task(self._flush_after(wait))

    async def _flush_after(self, wait: float) -> None:
        await asyncio.sleep(max(wait, 0))
        try:
            await self._write()
        except Exception as error:  # noqa: BLE001 - raised to whoever says or flushes something next
            self._broken = error

    async def flush(self) -> None:
        """Write all that was said.

        Raises:
            LaneLostError: the lane was taken away.
        """
        await self._write()
        if self._broken is not None:
            raise self._broken

    async def _write(self) -> None:
        async with self._writing:
            if self._pending:
                # A delta that comes while this is written begins a chunk of its own.
                self._flushed_at = clock.monotonic()
                chunks, self._pending = self._pending, []
                await self._append(chunks)

    async def _append(self, chunks: list[Json]) -> None:
        # Chunks can be made again from the recorded steps, so their commit does not wait for the disk.
        told = await self._hold.at_once(
            self._database,
            SQL["append_chunks"],
            SQL["ring"],
            parameters=chunk_parameters(self._turn_id, self._seq + 1, chunks),
            durable=False,
        )
        self._seq += len(chunks)
        if told.stop_turn_id == self._turn_id:
            self.stop_wanted.set()
