"""The toolsets, one folder an area. A toolset knows the plug in ``lanekeeper.tools``; the engine knows none of them."""

from lanekeeper.limits import Limits
from lanekeeper.settings import Settings
from lanekeeper.tools import Toolset


def all_tools(settings: Settings, limits: Limits) -> Toolset:
    """Every tool there is. Chat, REST and other ways in each take their subset (B2).

    Raises:
        SettingsError: a tool lacks a setting.
    """
    from toolsets import clock, memory, people, web

    return Toolset([*clock.tools(), *memory.tools(), *people.tools(), *web.tools(settings, limits)], limits)
