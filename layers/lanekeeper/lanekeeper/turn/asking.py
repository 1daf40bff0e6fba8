"""One call of the model: what it is sent, and its text on its way to the person."""

from collections.abc import Sequence
from contextlib import aclosing

from langchain_core.messages import AIMessage

from lanekeeper import clock
from lanekeeper.context import ModelInput, model_input
from lanekeeper.limits import Limits
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.messages import answer
from lanekeeper.mainline.reply import Ending, FinishReason
from lanekeeper.replies import ReplyStream
from lanekeeper.tools import Agent
from lanekeeper.turn.continuation import Continuation
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.steering import Steering
from lanekeeper.turn.thoughts import Thoughts


class EmptyAnswerError(Exception):
    """The model gave neither words nor calls."""


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
        limits: how much of a model's thoughts is shown.
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
        limits: Limits,
    ) -> None:
        self._turn = turn
        self._agent = agent
        self._mainline = mainline
        self._meter = meter
        self._stream = stream
        self._steering = steering
        self._limits = limits
        self.model = model
        self.turn_only: Sequence[str] = ()
        self.reminders: Sequence[str] = ()
        self.seconds = 0.0
        self.finish_reason: FinishReason = "stop"

    async def ask(self, step: int) -> AIMessage | None:
        """One call of the model. Its text is shown as it comes.

        None when the call was dropped before its first word, because more was sent: it is to be made again.

        Raises:
            MainlineError: no whole answer came.
            EmptyAnswerError: the model had nothing to say and nothing to do.
        """
        began = clock.monotonic()
        said = self._stream.text_so_far(step)
        continuation = Continuation(said)
        body = chat_body(self._input(said).wire(self.model), tools=self._agent.tools.definitions)
        caller = Caller(user_id=self._turn.hold.user_id, turn_id=self._turn.id, meter=self._meter)
        silent, blank = not said, ""
        thoughts = Thoughts(self._stream, self.model, self._limits)
        ending: Ending | None = None
        try:
            async with aclosing(self._mainline.chat(self.model, body, caller)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Ending):
                        ending = piece
                        continue
                    thoughts.take(piece.reasoning)
                    if silent and not (blank + piece.text).strip():
                        blank += piece.text  # an answer does not begin before its first word
                    elif silent and await self._steering.fold_in(restarts=True):
                        return None
                    else:
                        self._stream.text(step, continuation.take(blank + piece.text))
                        silent, blank = False, ""
            self._stream.text(step, continuation.end())
        finally:
            self.seconds += clock.monotonic() - began
        assert ending is not None  # a stream without an ending raises
        if not (continuation.whole or ending.calls):
            raise EmptyAnswerError
        self.finish_reason = ending.finish_reason
        return answer(continuation.whole, ending, thoughts.kept)

    def _input(self, said: str) -> ModelInput:
        thread = self._turn.thread
        added = len(thread.of_turn(self._turn.id))
        notes = [*self.turn_only, *self.reminders]
        return model_input(self._agent.prompt, thread.messages, notes, said, added=added)
