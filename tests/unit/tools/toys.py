"""Small tools for tests."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import Field

from lanekeeper.limits import Limits
from lanekeeper.mainline.reply import ToolCall
from lanekeeper.tools import AnyTool, Example, Source, Tool, ToolContext, ToolInput, ToolOutput, Toolset

LIMITS = Limits(tool_backoff_s=0)
CONTEXT = ToolContext(
    user_id="ana",
    conversation_id="conv_1",
    turn_id="turn_1",
    timezone="Europe/Madrid",
    now=datetime(2026, 11, 30, 9, 0, tzinfo=UTC),
)


class NoteInput(ToolInput):
    """Arguments of the note tool."""

    title: str = Field(description="Its title.", max_length=20)
    kind: Literal["fact", "plan"] = Field(description="What it is.")
    day: str | None = Field(default=None, description="The day it is about.")


class NoteOutput(ToolOutput):
    text: str
    items: list[str] = Field(default_factory=list)
    link: str | None = None


Run = Callable[[ToolContext, NoteInput], Awaitable[Any]]

GOOD = {"title": "tea", "kind": "fact", "day": None}


async def echo(context: ToolContext, given: NoteInput) -> NoteOutput:
    return NoteOutput(text=f"{context.user_id}: {given.title}")


def note_tool(run: Run = echo, name: str = "note_save", **beside: Any) -> AnyTool:
    return Tool(
        **{
            "name": name,
            "description": "Saves a note. Use it when asked. It reads nothing.",
            "input": NoteInput,
            "output": NoteOutput,
            "run": run,
            "examples": (Example("note that I like tea", NoteInput(title="tea", kind="fact")),),
            "sources": lambda output: [Source(output.link, output.text)] if output.link else [],
        }
        | beside
    )


def toolset(*tools: AnyTool, limits: Limits = LIMITS) -> Toolset:
    return Toolset(tools or (note_tool(),), limits)


def call(arguments: dict[str, Any] | None = None, name: str = "note_save", call_id: str = "c1") -> ToolCall:
    return ToolCall(call_id, name, GOOD if arguments is None else arguments)
