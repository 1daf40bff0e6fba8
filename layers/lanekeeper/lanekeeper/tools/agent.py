"""An agent: who answers, by which prompt, with which tools."""

from collections.abc import Callable
from dataclasses import dataclass

from lanekeeper.tools.toolset import Toolset
from lanekeeper.types import Prompt


def only_this(version: str) -> Prompt | None:
    """No other version of a prompt than the one in force."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent of the catalogue.

    Attributes:
        id: public.
        name: public.
        prompt: the newest version of its prompt.
        tools: the subset of all tools that its chat may use.
        find_prompt: another version of its prompt by name, or None when there is none (Q3).
    """

    id: str
    name: str
    prompt: Prompt
    tools: Toolset
    find_prompt: Callable[[str], Prompt | None] = only_this
