"""Which version of its prompt an agent speaks by: the newest, unless a setting names another (Q3)."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from lanekeeper.types import Prompt

logger = logging.getLogger(__name__)

# The key of the settings row.
SETTING = "prompts"

Versions = Mapping[str, str]
NEWEST: Versions = {}


def parse_versions(value: Any) -> Versions:
    """The settings row: ``{"assistant": "assistant-2026-11-30"}``. Agents that are not named have their newest.

    Raises:
        ValueError: it is no such row.
    """
    if not isinstance(value, dict) or not all(isinstance(version, str) for version in value.values()):
        raise ValueError("prompts is an object of agent id and version")
    return dict(value)


def in_force(versions: Versions, agent_id: str, newest: Prompt, find: Callable[[str], Prompt | None]) -> Prompt:
    """The prompt of an agent. A version that does not exist, or cannot be used, never stops a turn."""
    wanted = versions.get(agent_id, newest.version)
    if wanted == newest.version:
        return newest
    try:
        prompt = find(wanted)
    except (OSError, ValueError) as error:
        logger.error("the prompt %s of %s cannot be used: %s", wanted, agent_id, error)
        return newest
    if prompt is None:
        logger.error("there is no prompt %s of %s; it goes on with %s", wanted, agent_id, newest.version)
        return newest
    return prompt
