"""Asks the model, and asks once more where its answer may not go out as it is. Text goes to the person as it comes."""

from collections.abc import Sequence
from contextlib import aclosing

from langchain_core.messages import AIMessage, AnyMessage

from lanekeeper import clock
from lanekeeper.context import ModelInput, model_input
from lanekeeper.limits import Limits
from lanekeeper.lines import PERSON_LINE
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.messages import answer
from lanekeeper.mainline.reply import Ending, FinishReason
from lanekeeper.replies import ReplyStream
from lanekeeper.replies.contract import joined
from lanekeeper.tools import Agent
from lanekeeper.turn.attempts import ended_in_failure
from lanekeeper.turn.draft import Draft
from lanekeeper.turn.holding import HoldingLine
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.limits_met import LimitsMet
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.shortfalls import Shortfall, shortfall
from lanekeeper.turn.steering import Steering
from lanekeeper.turn.terms import Terms
from lanekeeper.turn.thoughts import Thoughts
from lanekeeper.uploads.attachments import Attachments


class EmptyAnswerError(Exception):
    """The model gave neither words nor calls."""


class DroppedError(Exception):
    """A call was broken off before its first word went out, because its person has sent more."""


class Asking:
    """The model calls of one turn.

    Args:
        turn: the turn.
        agent: whose prompt and tools it runs with.
        model: the model of this turn.
        mainline: the client.
        meter: counts what calls cost.
        stream: what the person sees.
        steering: looks for new messages before a first word goes out.
        holding: told when something is shown.
        attachments: what the thread's uploads stand for.
        limits_met: counts the answers that fell short.
        limits: how often the model is asked, and what it may say.
    """

    def __init__(
        self,
        *,
        turn: Turn,
        agent: Agent,
        model: Model,
        mainline: Mainline,
        meter: TurnMeter,
        stream: ReplyStream,
        steering: Steering,
        holding: HoldingLine,
        attachments: Attachments,
        limits_met: LimitsMet,
        limits: Limits,
    ) -> None:
        self._turn = turn
        self._agent = agent
        self._mainline = mainline
        self._meter = meter
        self._stream = stream
        self._steering = steering
        self._holding = holding
        self._attachments = attachments
        self._limits_met = limits_met
        self._limits = limits
        self._terms = Terms(turn, limits)
        self._step = 0
        self._calls = 0
        self._failure: Exception = EmptyAnswerError()
        self.model = model
        self.language = ""
        self.turn_only: Sequence[str] = ()
        self.reminders: Sequence[str] = ()
        self.seconds = 0.0
        self.finish_reason: FinishReason = "stop"
        self.fell_short = ""

    async def ask(self, step: int) -> AIMessage | None:
        """The answer of one step. A step has two calls at most, whatever the second is needed for.

        None when the answer was dropped before its first word, because more was sent: the step is to begin again.

        Raises:
            MainlineError: no whole answer came.
            EmptyAnswerError: the model had nothing to say and nothing to do.
        """
        hint = ""
        while True:
            self._count_call(step)
            said = self._stream.text_so_far(step)
            notes = [*self.turn_only, *self.reminders, *([hint] if hint else [])]
            draft = Draft(self._terms.contract(said, notes, self.language, again=self._calls > 1), said)
            try:
                ending, thoughts = await self._call(step, draft, notes)
            except DroppedError:
                self._calls = 0
                return None
            except (MainlineError, EmptyAnswerError) as error:
                self._failure = error
                raise
            short = shortfall(draft.fault, ending, draft.said)
            if short is None:
                assert ending is not None
                if draft.left_out:
                    self._limits_met.count("message_left_out")
                self.finish_reason = ending.finish_reason
                return answer(draft.said, ending, thoughts, self.model.id)
            if not short.may_improve or self._calls >= self._limits.provider_calls_per_step:
                return self._fixed(draft.said, short)
            self._limits_met.count(short.kind)
            hint = short.hint

    def _count_call(self, step: int) -> None:
        if step != self._step:
            self._step, self._calls = step, 0
        if self._calls >= self._limits.provider_calls_per_step:
            raise self._failure
        self._calls += 1

    async def _call(self, step: int, draft: Draft, notes: Sequence[str]) -> tuple[Ending | None, str]:
        """One call of the model: how it ended, None when it was broken off for a fault; and what it thought."""
        began = clock.monotonic()
        messages = await self._attachments.fill(self._turn.thread.messages, pictures=self.model.sees)
        body = chat_body(self._input(messages, draft.said, notes).wire(self.model), tools=self._agent.tools.definitions)
        caller = Caller(user_id=self._turn.hold.user_id, turn_id=self._turn.id, meter=self._meter)
        thoughts = Thoughts(self._stream, self.model, self._terms, self._limits)
        silent = not draft.said
        ending: Ending | None = None
        try:
            async with aclosing(self._mainline.chat(self.model, body, caller)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Ending):
                        ending = piece
                        continue
                    thoughts.take(piece.reasoning)
                    if piece.text:
                        thoughts.end()
                    silent = await self._show(step, draft.take(piece.text), silent=silent)
                    if draft.fault:
                        return None, thoughts.kept
            thoughts.end()
            calls = ending is not None and bool(ending.calls)
            await self._show(step, draft.end(goes_on=calls), silent=silent)
        finally:
            self.seconds += clock.monotonic() - began
        assert ending is not None  # a stream without an ending raises
        if not (draft.said or draft.fault or ending.calls or ending.finish_reason == "content_filter"):
            raise EmptyAnswerError
        return (None if draft.fault else ending), thoughts.kept

    async def _show(self, step: int, text: str, *, silent: bool) -> bool:
        """Show text of a step; whether nothing has been shown yet.

        Raises:
            DroppedError: more was sent before the first word went out.
        """
        if not text:
            return silent
        if silent and await self._steering.fold_in(restarts=True):
            raise DroppedError
        self._holding.rest()
        self._stream.text(step, text)
        return False

    def _fixed(self, said: str, short: Shortfall) -> AIMessage:
        """An answer that code brings to its end."""
        thread = self._turn.thread
        own = len(thread.of_turn(self._turn.id))
        failed = short.says_failed and ended_in_failure(thread.messages[: len(thread.messages) - own])
        line = PERSON_LINE if failed else short.line
        self._limits_met.count(f"{short.kind}_line")
        self.finish_reason, self.fell_short = short.finish_reason, short.kind
        return AIMessage(joined(said, line.in_language(self.language)))

    def _input(self, messages: Sequence[AnyMessage], said: str, notes: Sequence[str]) -> ModelInput:
        return model_input(
            self._agent.prompt,
            messages,
            notes,
            said,
            added=len(self._turn.thread.of_turn(self._turn.id)),
            profile=self._turn.profile,
            summary=self._turn.thread.summary,
        )
