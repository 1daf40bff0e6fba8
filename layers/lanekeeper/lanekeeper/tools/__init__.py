"""The plug for tools: what a tool is, how it is offered to a model, and how a call of it runs and may fail.

A toolset knows this room; the engine knows no toolset. Nothing here needs LangChain until a result becomes a message.
"""

from lanekeeper.mainline.text import storable
from lanekeeper.tools.agent import Agent
from lanekeeper.tools.failure import ToolFailure, TransientError
from lanekeeper.tools.outcome import Outcome
from lanekeeper.tools.tool import AnyTool, Example, Source, Tool, ToolContext, ToolInput, ToolOutput
from lanekeeper.tools.toolset import Toolset

__all__ = [
    "Agent",
    "AnyTool",
    "Example",
    "Outcome",
    "Source",
    "Tool",
    "ToolContext",
    "ToolFailure",
    "ToolInput",
    "ToolOutput",
    "Toolset",
    "TransientError",
    "storable",
]
