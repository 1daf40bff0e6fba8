"""Runs the tools that a model asked for, on behalf of the turn's person."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from langchain_core.messages import ToolMessage

from lanekeeper import clock
from lanekeeper.context.days import Days
from lanekeeper.mainline.reply import ToolCall
from lanekeeper.tools import Keeping, ToolContext, Toolset
from lanekeeper.turn.attempts import SUPERSEDED, is_superseded
from lanekeeper.turn.effects import Effects
from lanekeeper.turn.holding import HoldingLine
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.progress import Progress
from lanekeeper.turn.steering import Steering

# The result of a write that its person has overtaken, for the model and for the page.
OVERTAKEN = "Not done: the person has just written more. Read that first, then decide anew."


class Acting:
    """The tool calls of one turn.

    Args:
        turn: for whom and when they run.
        tools: those that may be called.
        steering: looks for new messages before something is changed.
        holding: tells the person when one is slow.
        progress: shows how they are getting on.
        meter: counts what they pay for.
        effects: what they leave behind.
    """

    def __init__(
        self,
        *,
        turn: Turn,
        tools: Toolset,
        steering: Steering,
        holding: HoldingLine,
        progress: Progress,
        meter: TurnMeter,
        effects: Effects,
    ) -> None:
        self._turn = turn
        self._tools = tools
        self._steering = steering
        self._holding = holding
        self._progress = progress
        self._meter = meter
        self._effects = effects
        self.seconds = 0.0

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolMessage]:
        """Run calls; their results, in the same order.

        When more was sent, nothing is changed any more: the calls from there on are closed, and the model reads what
        came before it decides anew (T2).
        """
        began = clock.monotonic()
        results: list[ToolMessage] = []
        context = self._context(self._tools.keeping(self._effects.state, calls))
        try:
            with self._holding.over(f"calls {calls[0].id if calls else ''}"), self._progress.over():
                for writes, batch in self._batches(calls):
                    if writes and await self._steering.is_wanted():
                        return [*results, *map(_overtaken, calls[len(results) :])]
                    failures = self._failures(results)
                    outcomes = await self._tools.call_all(batch, context, failures)
                    results += [outcome.message() for outcome in outcomes]
        finally:
            self.seconds += clock.monotonic() - began
        return results

    def _batches(self, calls: Sequence[ToolCall]) -> Iterator[tuple[bool, list[ToolCall]]]:
        """The calls in their order: those that only read together, each that writes by itself."""
        for name, batch in groupby(calls, lambda call: call.id if self._writes(call) else ""):
            yield bool(name), list(batch)

    def _writes(self, call: ToolCall) -> bool:
        tool = self._tools.find(call.name)
        return tool is not None and tool.writes

    def _context(self, keeping: Keeping) -> ToolContext:
        return ToolContext(
            user_id=self._turn.hold.user_id,
            conversation_id=self._turn.conversation_id,
            turn_id=self._turn.id,
            timezone=Days.around(self._turn.now, self._turn.timezone).zone,
            now=self._turn.now,
            state=self._effects.state,
            keeping=keeping,
            staff=self._effects,
            memory=self._effects.memory,
            meter=self._meter,
            watcher=self._progress,
        )

    def _failures(self, results: Sequence[ToolMessage]) -> Counter[str]:
        """How often each tool has failed in this turn, these results included."""
        return Counter(
            message.name or ""
            for message in (*self._turn.thread.of_turn(self._turn.id), *results)
            if isinstance(message, ToolMessage) and message.status == "error" and not is_superseded(message)
        )


def _overtaken(call: ToolCall) -> ToolMessage:
    return ToolMessage(
        OVERTAKEN,
        tool_call_id=call.id,
        name=call.name,
        status="error",
        artifact={"message": OVERTAKEN, SUPERSEDED: True},
    )
