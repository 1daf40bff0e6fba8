"""The clock: what day and time it is, where the person is or elsewhere."""

from lanekeeper.tools import AnyTool
from toolsets.clock.now import CLOCK_NOW

__all__ = ["tools"]


def tools() -> list[AnyTool]:
    """The area's tools."""
    return [CLOCK_NOW]
