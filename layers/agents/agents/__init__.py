"""The agents. Their ids and names are at hand for whoever lists them; prompts and tools are loaded on demand."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from agents.catalogue import CATALOGUE, ListedAgent
from lanekeeper.limits import Limits
from lanekeeper.settings import Settings

if TYPE_CHECKING:
    from lanekeeper.tools import Agent

__all__ = ["CATALOGUE", "ListedAgent", "load_agents"]


def load_agents(settings: Settings, limits: Limits) -> "Mapping[str, Agent]":
    """Every agent by its id, in the catalogue's order, with its prompt and its tools.

    Raises:
        SettingsError: a tool lacks a setting.
        ValueError: a prompt or the tool definitions pass their byte budget.
    """
    from agents.assistant import assistant
    from toolsets import all_tools

    tools = all_tools(settings, limits)
    agents = [assistant(tools, limits)]
    return {agent.id: agent for agent in agents}
