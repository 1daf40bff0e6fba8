"""People: asking the team for somebody."""

from lanekeeper.tools import AnyTool
from toolsets.people.handoff import PEOPLE_HANDOFF

__all__ = ["tools"]


def tools() -> list[AnyTool]:
    """The area's tools."""
    return [PEOPLE_HANDOFF]
