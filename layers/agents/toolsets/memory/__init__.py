"""Memory: keeping what the person asks to be remembered, and forgetting what they ask to be forgotten."""

from lanekeeper.tools import AnyTool
from toolsets.memory.forget import MEMORY_FORGET
from toolsets.memory.remember import MEMORY_REMEMBER

__all__ = ["tools"]


def tools() -> list[AnyTool]:
    """The area's tools."""
    return [MEMORY_FORGET, MEMORY_REMEMBER]
