"""A turn's steps: ask the model, run its tools. What a step brought is on disk before the next one begins."""

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
from lanekeeper.mainline.messages import answer, to_wire, tool_calls
from lanekeeper.mainline.reply import Delta, Ending, ToolCall
from lanekeeper.postgres import Database
from lanekeeper.replies import ReplyStream
from lanekeeper.tools import Agent, ToolContext
from lanekeeper.turn.continuation import Continuation
from lanekeeper.turn.intake import Intake, Turn
from lanekeeper.turn.meter import TurnMeter


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
        self._limits = limits
        self._turn_only: list[str] = []
        self._restarts = 0
        self.model_s = 0.0
        self.tools_s = 0.0

    async def load(self) -> None:
        """Open the reply and gather what is for this reply only."""
        await self.catch_up()
        self._turn_only = [turn_block(self._turn.now, self._turn.timezone)]

    async def catch_up(self) -> None:
        """Bring the reply to what is recorded, for a turn that was cut short: an earlier worker's, or this one's.

        What was cut off may have been undone by the database or not, so thread, chunks and prices are taken from there.
        """
        turn = self._turn
        if self._stream.shown.started:
            async with turn.hold.transaction(self._database, durable=False) as transaction:
                await turn.thread.load(transaction)
            self._meter.rewind()
        if turn.retaken or self._stream.shown.started:
            await self._stream.restore()
        self._stream.open(
            turn.reply_id,
            {"id": turn.conversation_id, "title": turn.title},
            {"turnId": turn.id, "state": "running"},
        )
        self._show_recorded()
        await self._stream.flush()

    async def think(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Ask the model once; what the thread gained, its answer last.

        Raises:
            StepLimitError: the model was asked as often as it may be in one turn.
            MainlineError: no whole answer came.
        """
        step = self._answers() + 1
        if step > self._limits.model_steps:
            raise StepLimitError
        await self._fold_in()
        self._stream.begin_step(step)
        message = await self.ask(step)
        await self._record([message])
        self._show_answer(step, message)
        await self._stream.flush()
        return self._gained(messages)

    async def act(self, messages: Sequence[AnyMessage]) -> list[ToolMessage]:
        """Run the calls that have no result yet and show what they came to."""
        results = await self.run_tools(open_calls(messages))
        await self._record(results)
        self._show_results(results)
        self._stream.end_step(self._answers())
        await self._stream.flush()
        return results

    async def ask(self, step: int) -> AIMessage:
        """One call of the model. Its text is shown as it comes."""
        began = clock.monotonic()
        said = self._stream.text_so_far(step)
        continuation = Continuation(said)
        body = chat_body(
            to_wire(model_input(self._agent.prompt, self._turn.thread.messages, self._turn_only, said)),
            tools=self._agent.tools.definitions,
        )
        caller = Caller(user_id=self._turn.hold.user_id, turn_id=self._turn.id, meter=self._meter)
        ending: Ending | None = None
        try:
            async with aclosing(self._mainline.chat(self._model, body, caller)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Delta):
                        self._stream.text(step, continuation.take(piece.text))
                    else:
                        ending = piece
            self._stream.text(step, continuation.end())
        finally:
            self.model_s += clock.monotonic() - began
        assert ending is not None
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
        try:
            outcomes = await self._agent.tools.call_all(calls, context, failures)
        finally:
            self.tools_s += clock.monotonic() - began
        return [outcome.message() for outcome in outcomes]

    async def _fold_in(self) -> None:
        """Let what was sent meanwhile join, as often as a turn may restart its step for it (T2)."""
        if self._restarts > self._limits.restarts:
            return
        joined = await self._intake.fold_in(self._turn)
        if joined:
            if self._answers():
                self._restarts += 1
            for message in joined:
                self._stream.joined(message.id or "")

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

    def _show_recorded(self) -> None:
        step = 0
        for message in self._turn.thread.of_turn(self._turn.id):
            if isinstance(message, AIMessage):
                step += 1
                self._stream.begin_step(step)
                self._show_answer(step, message)
            elif isinstance(message, ToolMessage):
                self._show_results([message])
        if step and not open_calls(self._turn.thread.messages):
            self._stream.end_step(step)

    def _show_answer(self, step: int, message: AIMessage) -> None:
        self._stream.complete_text(step, message.text)
        calls = tool_calls(message)
        for call in calls:
            self._stream.call(call.id, call.name, call.arguments or {})
        if not calls:
            self._stream.end_step(step)

    def _show_results(self, results: Sequence[ToolMessage]) -> None:
        for result in results:
            shown = result.artifact or {}
            if result.status == "error":
                self._stream.failure(result.tool_call_id, shown.get("message") or result.text)
            else:
                self._stream.result(result.tool_call_id, shown.get("output"))
            self._stream.sources(shown.get("sources", ()))
