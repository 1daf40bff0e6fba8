"""A turn's steps: ask the model, run its tools. What a step brought is on disk before the next one begins."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from lanekeeper import clock
from lanekeeper.context import model_input, turn_block
from lanekeeper.graph import StepLimitError, open_calls
from lanekeeper.limits import Limits
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.messages import answer, to_wire
from lanekeeper.mainline.reply import Ending, FinishReason, ToolCall
from lanekeeper.postgres import Database
from lanekeeper.replies import ReplyStream
from lanekeeper.tools import Agent, ToolContext
from lanekeeper.turn.continuation import Continuation
from lanekeeper.turn.intake import Intake, Turn
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.showing import Showing

# Said once work has been slow for a while, never as a habit.
HOLDING_LINE = "One moment, this is taking a little longer."


class EmptyAnswerError(Exception):
    """The model gave neither words nor calls."""


class TurnSteps:
    """The work of one turn at the graph's nodes.

    Args:
        database: the worker's own connection.
        intake: finds what was sent meanwhile.
        turn: the turn.
        agent: whose prompt and tools it runs with.
        model: the model of this turn.
        mainline: the client.
        meter: counts what calls cost.
        stream: what the person sees.
        limits: every number.
    """

    def __init__(
        self,
        *,
        database: Database,
        intake: Intake,
        turn: Turn,
        agent: Agent,
        model: Model,
        mainline: Mainline,
        meter: TurnMeter,
        stream: ReplyStream,
        limits: Limits,
    ) -> None:
        self._database = database
        self._intake = intake
        self._turn = turn
        self._agent = agent
        self._model = model
        self._mainline = mainline
        self._meter = meter
        self._stream = stream
        self._showing = Showing(turn, stream)
        self._limits = limits
        self._turn_only: list[str] = []
        self._restarts = 0
        self.model_s = 0.0
        self.tools_s = 0.0
        self.finish_reason: FinishReason = "stop"

    async def load(self) -> None:
        """Open the reply, or go on with a dead worker's, and gather what is for this reply only."""
        if self._turn.retaken:
            await self._stream.restore()
        await self._showing.all()
        self._turn_only = [turn_block(self._turn.now, self._turn.timezone)]

    async def catch_up(self) -> None:
        """Bring the reply of a turn that was cut short to what is recorded.

        What was cut off may have been undone by the database or not, so thread, chunks and prices are taken from there.
        """
        await self._turn.thread.load(self._database)
        await self._stream.restore()
        self._meter.rewind()
        await self._showing.all()

    async def think(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Ask the model once; what the thread gained, its answer last.

        Raises:
            StepLimitError: the model was asked as often as it may be in one turn.
            MainlineError: no whole answer came.
            EmptyAnswerError: the model had nothing to say and nothing to do.
        """
        step = self._answers() + 1
        if step > self._limits.model_steps:
            raise StepLimitError
        await self._fold_in(restarts=step > 1)
        self._stream.begin_step(step)
        while (message := await self.ask(step)) is None:
            pass
        await self._record([message])
        self._showing.answer(step, message)
        await self._stream.flush()
        return self._gained(messages)

    async def act(self, messages: Sequence[AnyMessage]) -> list[ToolMessage]:
        """Run the calls that have no result yet and show what they came to."""
        results = await self.run_tools(open_calls(messages))
        await self._record(results)
        self._showing.results(results)
        self._stream.end_step(self._answers())
        await self._stream.flush()
        return results

    async def ask(self, step: int) -> AIMessage | None:
        """One call of the model. Its text is shown as it comes.

        None when the call was dropped before its first word, because more was sent: it is to be made again.
        """
        began = clock.monotonic()
        said = self._stream.text_so_far(step)
        continuation = Continuation(said)
        body = chat_body(
            to_wire(model_input(self._agent.prompt, self._turn.thread.messages, self._turn_only, said)),
            tools=self._agent.tools.definitions,
        )
        caller = Caller(user_id=self._turn.hold.user_id, turn_id=self._turn.id, meter=self._meter)
        silent, blank = not said, ""
        ending: Ending | None = None
        try:
            async with aclosing(self._mainline.chat(self._model, body, caller)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Ending):
                        ending = piece
                    elif silent and not (blank + piece.text).strip():
                        blank += piece.text  # an answer does not begin before its first word
                    elif silent and await self._fold_in(restarts=True):
                        return None
                    else:
                        self._stream.text(step, continuation.take(blank + piece.text))
                        silent, blank = False, ""
            self._stream.text(step, continuation.end())
        finally:
            self.model_s += clock.monotonic() - began
        assert ending is not None  # a stream without an ending raises
        if not (continuation.whole or ending.calls):
            raise EmptyAnswerError
        self.finish_reason = ending.finish_reason
        return answer(continuation.whole, ending)

    async def run_tools(self, calls: Sequence[ToolCall]) -> list[ToolMessage]:
        """Run calls; their results, in the same order."""
        began = clock.monotonic()
        context = ToolContext(
            user_id=self._turn.hold.user_id,
            conversation_id=self._turn.conversation_id,
            turn_id=self._turn.id,
            timezone=self._turn.timezone,
            now=self._turn.now,
        )
        failures = Counter(
            message.name or ""
            for message in self._turn.thread.of_turn(self._turn.id)
            if isinstance(message, ToolMessage) and message.status == "error"
        )
        holding = asyncio.get_running_loop().call_later(self._limits.holding_line_s, self._stream.status, HOLDING_LINE)
        try:
            outcomes = await self._agent.tools.call_all(calls, context, failures)
        finally:
            holding.cancel()
            self.tools_s += clock.monotonic() - began
        return [outcome.message() for outcome in outcomes]

    async def _fold_in(self, *, restarts: bool) -> bool:
        """Let what was sent meanwhile join, as often as a turn may restart a step for it; whether anything did (T2)."""
        if restarts and self._restarts >= self._limits.restarts:
            return False
        joined = await self._intake.fold_in(self._turn)
        for message in joined:
            self._stream.joined(message.id or "")
        self._restarts += restarts and bool(joined)
        return bool(joined)

    async def _record(self, messages: Sequence[AnyMessage]) -> None:
        async with self._turn.hold.transaction(self._database) as transaction:
            await self._turn.thread.add(transaction, messages, self._turn.id)
            await self._meter.write(transaction)

    def _gained(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """What the thread has and the graph's state has not: a step that was tried twice may have gained more."""
        known = {message.id for message in messages}
        return [message for message in self._turn.thread.messages if message.id not in known]

    def _answers(self) -> int:
        return sum(isinstance(message, AIMessage) for message in self._turn.thread.of_turn(self._turn.id))
