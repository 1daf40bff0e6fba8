"""A set of tools: what a model may choose from, and the way to call one."""

import asyncio
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lanekeeper.limits import Limits
from lanekeeper.mainline.reply import ToolCall
from lanekeeper.mainline.text import dumps
from lanekeeper.tools.chain import wrapped
from lanekeeper.tools.context import ToolContext
from lanekeeper.tools.definition import definition
from lanekeeper.tools.failure import ToolFailure
from lanekeeper.tools.outcome import Outcome, failed
from lanekeeper.tools.state import Keeping
from lanekeeper.tools.tool import AnyTool
from lanekeeper.traces import span
from lanekeeper.types import Json

_NAME = re.compile(r"[a-z]+_[a-z0-9_]{1,55}")


class Toolset:
    """Tools in a fixed order, by name, however they were put together: so their definitions keep their bytes.

    Args:
        tools: the tools.
        limits: how long and how often they may be tried, and how much they may say.

    Raises:
        ValueError: two tools have one name, a name has no area, or the definitions pass their byte budget.
    """

    def __init__(self, tools: Iterable[AnyTool], limits: Limits) -> None:
        ordered = sorted(tools, key=lambda tool: tool.name)
        self._tools = {tool.name: tool for tool in ordered}
        self._runs = {tool.name: wrapped(tool, limits) for tool in ordered}
        self._limits = limits
        self.names = tuple(self._tools)
        self.definitions: tuple[Json, ...] = tuple(definition(tool) for tool in ordered)
        written = dumps(self.definitions).encode()
        # Names these definitions beside the prompt's version: what the model was told of is known later on (O9).
        self.sha256 = hashlib.sha256(written).hexdigest()
        if len(self._tools) != len(ordered):
            raise ValueError("two tools have the same name")
        if nameless := [name for name in self.names if not _NAME.fullmatch(name)]:
            raise ValueError(f"a tool is named area_job: {', '.join(nameless)}")
        if len(written) > limits.tools_bytes:
            raise ValueError(f"the tool definitions pass their budget of {limits.tools_bytes} bytes")

    def subset(self, names: Iterable[str]) -> "Toolset":
        """Only the named tools (B2).

        Raises:
            KeyError: one is not in this set.
        """
        return Toolset([self._tools[name] for name in names], self._limits)

    def find(self, name: str) -> AnyTool | None:
        """The tool of that name, or None."""
        return self._tools.get(name)

    def keeping(self, state: Mapping[str, Any], calls: Iterable[ToolCall]) -> Keeping:
        """Counts together what the calls of one answer keep, for their context."""
        return Keeping(state, (call.id for call in calls), self._limits)

    async def call(self, call: ToolCall, context: ToolContext, failures: int = 0) -> Outcome:
        """Run one call. Whatever happens, it has an outcome; only a lost lane is raised.

        Args:
            call: what the model asked for, unreadable arguments included.
            context: for whom and when.
            failures: how often this tool has failed in this turn already.

        Raises:
            LaneLostError: this worker may do nothing more.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self.names) or "none"
            unknown = ToolFailure(f"There is no such tool. There are: {known}.", "Use one of these, or answer without.")
            return failed(call.id, call.name, unknown, self._limits)
        if failures >= self._limits.tool_failures:
            stop = ToolFailure(
                "This tool has failed too often in this turn and is not tried again.",
                "Tell the person plainly what did not work, and go on without it.",
            )
            return failed(call.id, call.name, stop, self._limits)
        try:
            return await self._runs[tool.name](replace(context, call_id=call.id), call.arguments)
        except ToolFailure as failure:
            return failed(call.id, call.name, failure, self._limits)

    async def call_all(
        self, calls: Sequence[ToolCall], context: ToolContext, failures: Mapping[str, int] | None = None
    ) -> list[Outcome]:
        """Run calls of one reply and give their outcomes in the same order.

        Reads run side by side, a few at a time (N9). As soon as one call writes, all run one after the other.

        Raises:
            LaneLostError: this worker may do nothing more.
        """
        earlier = dict(failures or {})
        one_by_one = any(tool.writes for call in calls if (tool := self._tools.get(call.name)))
        if context.keeping is None:
            context = replace(context, keeping=self.keeping(context.state, calls))
        places = asyncio.Semaphore(1 if one_by_one else max(1, self._limits.tool_concurrency))

        async def run(call: ToolCall) -> Outcome:
            async with places:
                # A model may ask for anything: only a tool's own name is one.
                name = call.name if call.name in self._tools else "unknown"
                with span(f"execute_tool {name}", {"gen_ai.tool.name": name}) as traced:
                    outcome = await self.call(call, context, earlier.get(call.name, 0))
                    if outcome.is_error:
                        traced.fail()
                earlier[call.name] = earlier.get(call.name, 0) + outcome.is_error
                return outcome

        running = [asyncio.ensure_future(run(call)) for call in calls]
        try:
            return list(await asyncio.gather(*running))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
