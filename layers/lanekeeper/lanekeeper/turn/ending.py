"""How a turn ends: well, stopped, or with the honest line. Each end is one transaction, and delivery another."""

import logging
from typing import Literal

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from psycopg.types.json import Jsonb

from lanekeeper import clock
from lanekeeper.graph import open_calls
from lanekeeper.lines import HONEST_LINE, PERSON_LINE
from lanekeeper.memory.clearing import clear_again
from lanekeeper.postgres import Database, Statements
from lanekeeper.replies import Reply, ReplyStream, deliver_and_release, send
from lanekeeper.traces import Value, span
from lanekeeper.traces.store import keep
from lanekeeper.turn.attempts import ended_in_failure
from lanekeeper.turn.closing import NOT_COMPLETED, close_parts, finish, last_words
from lanekeeper.turn.growth import Growth
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.measures import Measures
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.steps import TurnSteps
from lanekeeper.types import Json, Prompt

SQL = Statements.beside(__file__)

logger = logging.getLogger(__name__)

# The AI SDK's names for why a model stopped, where it was not because all was said.
FINISH_REASONS = {"length": "length", "content_filter": "content-filter", "other": "other"}

State = Literal["done", "failed", "stopped"]


class Ending:
    """Ends one turn.

    Args:
        database: the worker's own connection.
        turn: the turn to end.
        stream: its reply, written so far.
        steps: what it took.
        meter: what it cost.
        prompt: what it was run with, kept with the turn (K3).
        growth: what it leaves for later.
    """

    def __init__(
        self,
        *,
        database: Database,
        turn: Turn,
        stream: ReplyStream,
        steps: TurnSteps,
        meter: TurnMeter,
        prompt: Prompt,
        growth: Growth,
    ) -> None:
        self._database = database
        self._turn = turn
        self._stream = stream
        self._steps = steps
        self._meter = meter
        self._prompt = prompt
        self._growth = growth
        self._measures = Measures(turn, stream, steps, meter)

    async def finish(self) -> None:
        """End a turn whose model has answered."""
        await self._stream.flush()
        wrote = self._measures.wrote()
        closing: list[Json] = [{"type": "data-writes", "data": {"tools": wrote}}] if wrote else []
        metadata = self._measures.metadata()
        reason = FINISH_REASONS.get(self._steps.asking.finish_reason, "stop")
        await self._end("done", [], [*closing, finish(reason, metadata)], metadata, self._steps.asking.fell_short)

    async def say(self, text: str) -> None:
        """End a turn that code has answered, with a fixed line as the whole of its reply (D5)."""
        await self._stream.flush()
        self._stream.first_text_at = self._stream.first_text_at or clock.monotonic()  # it goes out with the turn's end
        await self._end_with(text, [*self._closed_calls(), AIMessage(content=text)], state="done")

    async def stop(self) -> None:
        """End a turn that its person stopped. What was said so far stands."""
        await self._steps.catch_up()
        messages = self._closed_calls()
        closing = [*close_parts(self._stream.shown), {"type": "abort", "reason": "stopped"}]
        await self._end("stopped", messages, closing, self._measures.metadata() | {"state": "stopped"})

    async def fail(self, reason: str) -> None:
        """End a turn that could not be completed, with the honest line as the reply's last text (T5).

        Args:
            reason: a short word for operators; never a provider's own text.
        """
        await self._steps.catch_up()
        line = self._line()
        await self._end_with(line, [*self._closed_calls(), AIMessage(content=line)], reason)

    async def give_up(self) -> None:
        """End a turn that could not be ended otherwise: what is recorded of it is left as it is, but it is paid for."""
        await self._stream.restore()
        await self._meter.write_apart()
        await self._end_with(HONEST_LINE.in_language(self._steps.language), [], "unreadable")

    def _line(self) -> str:
        """The honest line; where the turn before has ended in one as well, the offer of a person (A3)."""
        thread = self._turn.thread
        own = len(thread.of_turn(self._turn.id))
        again = ended_in_failure(thread.messages[: len(thread.messages) - own])
        return (PERSON_LINE if again else HONEST_LINE).in_language(self._steps.language)

    async def _end_with(self, line: str, messages: list[AnyMessage], reason: str = "", state: State = "failed") -> None:
        metadata = self._measures.metadata() | ({"state": state} if state == "failed" else {})
        closing = last_words(line, self._stream.shown, self._turn.reply_id)
        closing.append(finish("error" if state == "failed" else "stop", metadata))
        await self._end(state, messages, closing, metadata, reason)

    def _closed_calls(self) -> list[AnyMessage]:
        """What the thread needs to stay valid: each open call closed, and the text of a draft that broke off."""
        messages: list[AnyMessage] = [
            ToolMessage(NOT_COMPLETED, tool_call_id=call.id, name=call.name, status="error")
            for call in open_calls(self._turn.thread.messages)
        ]
        if draft := self._stream.shown.draft:
            messages.append(AIMessage(content=draft))
        return messages

    async def _end(
        self, state: State, messages: list[AnyMessage], closing: list[Json], metadata: Json, failure: str = ""
    ) -> None:
        seq = self._stream.next_seq
        for chunk in closing:
            self._stream.shown.apply(chunk)
        reply = Reply(
            conversation_id=self._turn.conversation_id,
            turn_id=self._turn.id,
            message_id=self._turn.reply_id,
            parts=self._stream.shown.parts,
            metadata=metadata,
            closing=closing,
            closing_seq=seq,
        )
        await self.commit(state, messages, reply, failure)
        await deliver_and_release(self._database, self._turn.hold)

    async def commit(self, state: State, messages: list[AnyMessage], reply: Reply, failure: str) -> None:
        """The reply, its outbox row and the turn's end, in one transaction.

        Raises:
            LaneLostError: another worker has the lane by now; nothing was written.
        """
        with span("commit"):
            await self._write(state, messages, reply, failure)
        self._measures.publish(state)

    async def _write(self, state: State, messages: list[AnyMessage], reply: Reply, failure: str) -> None:
        measured = self._measures.timings()
        first_reply_ms = measured.get("firstReplyMs")
        async with self._turn.hold.transaction(self._database) as transaction:
            await self._turn.thread.add(transaction, messages, self._turn.id)
            await self._meter.write(transaction)
            self._steps.deciding.write(transaction)
            self._steps.recalling.write(transaction)
            self._growth.write(transaction, readable=failure != "unreadable")
            await send(transaction, self._turn.hold, "reply", reply)
            if state == "failed":
                self._steps.limits_met.count(failure)
            await self._steps.limits_met.write(transaction)
            counted = await transaction.row(
                SQL["end_turn"],
                {
                    **self._turn.hold.key,
                    "turn_id": self._turn.id,
                    "state": state,
                    "model_id": self._steps.asking.model.id,
                    "prompt_version": self._prompt.version,
                    "prompt_hash": self._prompt.sha256,
                    "timings": Jsonb(measured),
                    "usage": Jsonb(self._measures.usage()),
                    "failure": failure or None,
                    "first_reply_s": None if first_reply_ms is None else first_reply_ms / 1000,
                },
            )
            if counted and self._turn.thread.saw_forgetting(counted["forgets"]):
                # The model may have been asked before that, and have said it once more since.
                await clear_again(transaction, self._turn.hold.user_id, self._turn.id, self._turn.now)
            ended: dict[str, Value | None] = {
                "lanekeeper.state": state,
                "lanekeeper.failure": failure or None,
                "lanekeeper.first_reply_ms": first_reply_ms,
                "lanekeeper.prompt.version": self._prompt.version,
                "lanekeeper.prompt.sha256": self._prompt.sha256,
                "lanekeeper.hard_case": self._steps.hard_case or None,
                "gen_ai.request.model": self._steps.asking.model.id,
            }
            keep(transaction, self._turn.hold.user_id, self._turn.id, ended)
