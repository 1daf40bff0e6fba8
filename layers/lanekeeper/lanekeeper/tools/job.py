"""Tools for a job without a thread: it asks for one answer in a shape, and lets the model look things up first (N1)."""

from collections import Counter
from collections.abc import Sequence

from lanekeeper.mainline.reply import ToolCall
from lanekeeper.tools.context import ToolContext
from lanekeeper.tools.toolset import Toolset
from lanekeeper.types import Json


class JobTools:
    """Runs the calls of one job: pass ``definitions`` and the object itself to ``ask_structured``.

    Args:
        tools: those that may be called.
        context: for whom and when.
    """

    def __init__(self, tools: Toolset, context: ToolContext) -> None:
        self._tools = tools
        self._context = context
        self._failures: Counter[str] = Counter()
        self.definitions = tools.definitions

    async def __call__(self, calls: Sequence[ToolCall]) -> list[Json]:
        """What came of each call, as the message that a gateway wants after it.

        Raises:
            LaneLostError: this worker may do nothing more.
        """
        outcomes = await self._tools.call_all(calls, self._context, self._failures)
        self._failures.update(outcome.name for outcome in outcomes if outcome.is_error)
        return [{"role": "tool", "tool_call_id": outcome.call_id, "content": outcome.content} for outcome in outcomes]
