"""Runs the tools that a model asked for, on behalf of the turn's person."""

from collections import Counter
from collections.abc import Sequence

from langchain_core.messages import ToolMessage

from lanekeeper import clock
from lanekeeper.context.days import Days
from lanekeeper.mainline.reply import ToolCall
from lanekeeper.tools import ToolContext, Toolset
from lanekeeper.turn.effects import Effects
from lanekeeper.turn.holding import HoldingLine
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.progress import Progress


class Acting:
    """The tool calls of one turn.

    Args:
        turn: for whom and when they run.
        tools: those that may be called.
        holding: tells the person when one is slow.
        progress: shows how they are getting on.
        meter: counts what they pay for.
        effects: what they leave behind.
    """

    def __init__(
        self,
        turn: Turn,
        tools: Toolset,
        holding: HoldingLine,
        progress: Progress,
        meter: TurnMeter,
        effects: Effects,
    ) -> None:
        self._turn = turn
        self._tools = tools
        self._holding = holding
        self._progress = progress
        self._meter = meter
        self._effects = effects
        self.seconds = 0.0

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolMessage]:
        """Run calls; their results, in the same order."""
        began = clock.monotonic()
        try:
            with self._holding.over(), self._progress.over():
                outcomes = await self._tools.call_all(calls, self._context(), self._failures())
        finally:
            self.seconds += clock.monotonic() - began
        return [outcome.message() for outcome in outcomes]

    def _context(self) -> ToolContext:
        return ToolContext(
            user_id=self._turn.hold.user_id,
            conversation_id=self._turn.conversation_id,
            turn_id=self._turn.id,
            timezone=Days.around(self._turn.now, self._turn.timezone).zone,
            now=self._turn.now,
            state=self._effects.state,
            staff=self._effects,
            meter=self._meter,
            watcher=self._progress,
        )

    def _failures(self) -> Counter[str]:
        """How often each tool has failed in this turn."""
        return Counter(
            message.name or ""
            for message in self._turn.thread.of_turn(self._turn.id)
            if isinstance(message, ToolMessage) and message.status == "error"
        )
