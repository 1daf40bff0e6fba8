"""A turn's steps: ask the model, run its tools. What a step brought is on disk before the next one begins."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from lanekeeper.graph import StepLimitError, open_calls
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import Catalogue
from lanekeeper.mainline.client import Mainline
from lanekeeper.mainline.reply import ToolCall
from lanekeeper.postgres import Database
from lanekeeper.replies import ReplyStream
from lanekeeper.tools import Agent
from lanekeeper.traces import span
from lanekeeper.turn.acting import Acting
from lanekeeper.turn.asking import Asking
from lanekeeper.turn.attempts import is_stuck, offering_a_person
from lanekeeper.turn.briefing import briefing
from lanekeeper.turn.deciding import CodeAnswers, Deciding
from lanekeeper.turn.effects import Effects
from lanekeeper.turn.holding import HoldingLine
from lanekeeper.turn.intake import Intake, Turn
from lanekeeper.turn.limits_met import LimitsMet
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.progress import Progress
from lanekeeper.turn.recalling import Recalling
from lanekeeper.turn.remembering import Remembering
from lanekeeper.turn.routing import Signs, route
from lanekeeper.turn.showing import Showing
from lanekeeper.turn.steering import Steering
from lanekeeper.uploads.attachments import Attachments


class TurnSteps:
    """The work of one turn at the graph's nodes.

    Args:
        database: the worker's own connection.
        intake: finds what was sent meanwhile.
        turn: the turn.
        agent: whose prompt and tools it runs with.
        catalogue: the models there are.
        deciding: judges what is to be answered.
        recalling: searches memory for it.
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
        catalogue: Catalogue,
        deciding: Deciding,
        recalling: Recalling,
        mainline: Mainline,
        meter: TurnMeter,
        stream: ReplyStream,
        limits: Limits,
    ) -> None:
        self._database = database
        self._turn = turn
        self._meter = meter
        self._stream = stream
        self._limits = limits
        self._catalogue = catalogue
        self.deciding = deciding
        self.recalling = recalling
        self.hard_case = ""
        self._model_chosen = False
        self._showing = Showing(turn, stream)
        self._steering = Steering(
            intake=intake, turn=turn, stream=stream, deciding=deciding, recalling=recalling, limits=limits
        )
        self._holding = HoldingLine(stream, limits)
        self.limits_met = LimitsMet(turn)
        self.asking = Asking(
            turn=turn,
            agent=agent,
            model=route(catalogue, turn.model_id, Signs(), limits).model,
            mainline=mainline,
            meter=meter,
            stream=stream,
            steering=self._steering,
            holding=self._holding,
            attachments=Attachments(database, turn.hold.user_id, limits),
            limits_met=self.limits_met,
            limits=limits,
        )
        self._agent = agent
        self._effects = Effects(turn, Remembering(turn, recalling, limits))
        self.acting = Acting(
            turn=turn,
            tools=agent.tools,
            steering=self._steering,
            holding=self._holding,
            progress=Progress(stream, limits),
            meter=meter,
            effects=self._effects,
        )

    @property
    def language(self) -> str:
        """The person's language, for what code says; empty where it is not sure."""
        return self.asking.language

    async def load(self) -> None:
        """Open the reply, or go on with a dead worker's, act in code, and gather what is for this reply only.

        Raises:
            CodeAnswers: code has answered; no model is to be asked.
        """
        with span("load"):
            if self._turn.retaken:
                await self._stream.restore()
            await self._showing.all()
        with span("decisions", outcomes=(CodeAnswers,)):
            await self.deciding.settle()
        await self.recalling.settle(self.deciding.verdicts)
        self._brief()

    async def catch_up(self) -> None:
        """Bring the reply of a turn that was cut short to what is recorded.

        What was cut off may have been undone by the database or not, so thread and chunks are taken from there.
        """
        await self._turn.thread.load(self._database)
        await self._stream.restore()
        self.deciding.rewind()
        await self._showing.all()

    async def think(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Ask the model once; what the thread gained, its answer last.

        Raises:
            StepLimitError: the model was asked as often as it may be in one turn.
            MainlineError: no whole answer came.
            EmptyAnswerError: the model had nothing to say and nothing to do.
        """
        self.asking.reminders = self._agent.reminders(self._effects.state)
        step = self._answers() + 1
        if step > self._limits.model_steps:
            raise StepLimitError
        # Words of this answer that went out are brought to their end: what came since waits for the next turn.
        if not self._stream.text_so_far(step):
            await self._steering.fold_in(restarts=step > 1)
        self._brief()
        if not self._model_chosen:
            self._choose_model()
        self._stream.begin_step(step)
        with self._holding.over(f"step {step}"):
            while (message := await self.ask(step)) is None:
                self._brief()
        if not (message.tool_calls or message.invalid_tool_calls or self.asking.fell_short) and self._is_stuck():
            self.limits_met.count("stuck")
            message = offering_a_person(message, self.language)
        await self._record([message])
        self._showing.answer(step, message)
        await self._stream.flush()
        return self._gained(messages)

    async def act(self, messages: Sequence[AnyMessage]) -> list[ToolMessage]:
        """Run the calls that have no result yet and show what they came to."""
        recorded = await self._record(await self.run_tools(open_calls(messages)))
        results = [message for message in recorded if isinstance(message, ToolMessage)]
        self._showing.results(results)
        self._stream.end_step(self._answers())
        await self._stream.flush()
        return results

    async def ask(self, step: int) -> AIMessage | None:
        """One call of the model; None when it is to be made again because more was sent."""
        return await self.asking.ask(step)

    async def run_tools(self, calls: Sequence[ToolCall]) -> list[ToolMessage]:
        """Run calls; their results, in the same order."""
        return await self.acting.run(calls)

    def _brief(self) -> None:
        """Settle what is for this reply only, by all that was judged so far, what joined included."""
        self.asking.language = self._holding.language = self.deciding.language or ""
        self.asking.turn_only = briefing(self._turn, self.deciding, self.recalling)

    def _choose_model(self) -> None:
        """Settle which model answers: once a turn, so that all its steps read one provider's cache (A2, N3)."""
        thread, hard = self._turn.thread, self.deciding.verdicts.hard
        signs = Signs.of(thread.messages, len(thread.of_turn(self._turn.id)), judged_hard=hard)
        chosen = route(self._catalogue, self._turn.model_id, signs, self._limits)
        self.asking.model, self.hard_case = chosen.model, chosen.case
        self._model_chosen = True

    def _is_stuck(self) -> bool:
        return is_stuck(self._turn.thread.of_turn(self._turn.id), self._limits.failed_attempts)

    async def _record(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        with span("record"):
            async with self._turn.hold.transaction(self._database) as transaction:
                written = await self._effects.write(transaction, messages)
                await self._turn.thread.add(transaction, written, self._turn.id)
                await self._meter.write(transaction)
                self.deciding.write(transaction)
                await self.limits_met.write(transaction)
            if self._effects.memory.forgot:
                # What is sent from here on must not hold it either.
                await self._turn.thread.load(self._database)
        return written

    def _gained(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """What the thread has and the graph's state has not: a step that was tried twice may have gained more."""
        known = {message.id for message in messages}
        return [message for message in self._turn.thread.messages if message.id not in known]

    def _answers(self) -> int:
        return sum(isinstance(message, AIMessage) for message in self._turn.thread.of_turn(self._turn.id))
