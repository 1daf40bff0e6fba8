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
from lanekeeper.replies.chunk_writer import ChunkWriter
from lanekeeper.replies.contract import BREAK
from lanekeeper.types import Json

# Words, calls and a step's end come after a thought, never inside it.
ENDS_REASONING = frozenset({"text-start", "text-delta", "tool-input-available", "finish-step"})


class ReplyStream:
    """The chunks of one turn.

    Args:
        database: a connection of its own, so that text flows while the turn's other work goes on.
        hold: the lane's hold, checked by every write.
        turn_id: whose chunks these are.
        limits: how long text is gathered.
    """

    def __init__(self, database: Database, hold: Hold, turn_id: str, limits: Limits) -> None:
        self._writer = ChunkWriter(database, hold, turn_id, limits)
        self.shown = Assembly()
        self.first_text_at: float | None = None

    async def restore(self) -> None:
        """Take up the stream where its stored chunks end. What was said and not written yet is dropped."""
        stored = await self._writer.restore()
        self.shown = Assembly()
        for chunk in stored:
            self.shown.apply(chunk)

    @property
    def next_seq(self) -> int:
        """The number of the next chunk. All that was said must be flushed."""
        return self._writer.next_seq

    @property
    def stop_wanted(self) -> asyncio.Event:
        """Set once a write has learned that the person wants the turn stopped."""
        return self._writer.stop_wanted

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
        """The text of a step that has been shown, while its model still writes it."""
        return self.shown.draft if self.shown.steps == step else ""

    def text(self, step: int, delta: str) -> None:
        """Show more text of a step, each message in a part of its own. It is written within the batch time."""
        if not delta:
            return
        first, *others = delta.split(BREAK)
        self._add_text(step, first)
        for message in others:
            self._end_text()
            self._add_text(step, message)
        if self.first_text_at is None:
            self.first_text_at = clock.monotonic()
        self._writer.flush_soon()

    def complete_text(self, step: int, text: str) -> None:
        """Show what is missing of a step's whole text, and close it."""
        if self.shown.steps == step and self.shown.step_open:
            self.text(step, text[len(self.shown.step_text) :])
            self._end_text()

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
        self._writer.flush_soon()

    def progress(self, call_id: str, data: Json) -> None:
        """Tell how a tool call is getting on, for as long as it runs. It never becomes part of the reply (N7)."""
        if call_id in self.shown.open_calls:
            self._say({"type": "data-progress", "data": {**data, "toolCallId": call_id}, "transient": True})
            self._writer.flush_soon()

    def reasoning(self, delta: str) -> None:
        """Show more of what the model says it thinks. It is none of the reply's words (N8)."""
        if self.shown.open_reasoning is None:
            number = sum(part["type"] == "reasoning" for part in self.shown.parts) + 1
            self._say({"type": "reasoning-start", "id": f"reasoning-{number}"})
        self._say({"type": "reasoning-delta", "id": self.shown.open_reasoning, "delta": delta})
        self._writer.flush_soon()

    def end_reasoning(self) -> None:
        """What is said from here on is another thought."""
        if self.shown.open_reasoning is not None:
            self._say({"type": "reasoning-end", "id": self.shown.open_reasoning})

    async def flush(self) -> None:
        """Write all that was said.

        Raises:
            LaneLostError: the lane was taken away.
        """
        await self._writer.flush()

    def _add_text(self, step: int, delta: str) -> None:
        if not delta:
            return
        if self.shown.open_text is None:
            number = self.shown.step_messages + 1
            self._say({"type": "text-start", "id": f"text-{step}" if number == 1 else f"text-{step}-{number}"})
        self._say({"type": "text-delta", "id": self.shown.open_text, "delta": delta})

    def _end_text(self) -> None:
        if self.shown.open_text is not None:
            self._say({"type": "text-end", "id": self.shown.open_text})

    def _say(self, chunk: Json) -> None:
        if chunk["type"] in ENDS_REASONING:
            self.end_reasoning()
        self.shown.apply(chunk)
        self._writer.put(chunk)
