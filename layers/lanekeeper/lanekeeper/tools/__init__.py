"""The plug for tools: what a tool is, how it is offered to a model, and how a call of it runs and may fail.

A toolset knows this room; the engine knows no toolset. Nothing here needs LangChain until a result becomes a message.
"""

from lanekeeper.mainline.text import storable
from lanekeeper.tools.agent import Agent
from lanekeeper.tools.context import StaffDesk, ToolContext, Watcher
from lanekeeper.tools.facts import Fact, FactKind, facts_of
from lanekeeper.tools.failure import ToolFailure, TransientError
from lanekeeper.tools.job import JobTools
from lanekeeper.tools.memory import Memory, NoteKind
from lanekeeper.tools.money import Money
from lanekeeper.tools.outcome import Outcome
from lanekeeper.tools.state import Keeping, state_after
from lanekeeper.tools.tool import AnyTool, Command, Example, Source, Tool, ToolInput, ToolOutput
from lanekeeper.tools.toolset import Toolset

__all__ = [
    "Agent",
    "AnyTool",
    "Command",
    "Example",
    "Fact",
    "FactKind",
    "JobTools",
    "Keeping",
    "Memory",
    "Money",
    "NoteKind",
    "Outcome",
    "Source",
    "StaffDesk",
    "Tool",
    "ToolContext",
    "ToolFailure",
    "ToolInput",
    "ToolOutput",
    "Toolset",
    "TransientError",
    "Watcher",
    "facts_of",
    "state_after",
    "storable",
]
