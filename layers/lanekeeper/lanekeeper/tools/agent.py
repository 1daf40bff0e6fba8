"""An agent: who answers, by which prompt, with which tools."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lanekeeper.tools.toolset import Toolset
from lanekeeper.types import Prompt


def only_this(version: str) -> Prompt | None:
    """No other version of a prompt than the one in force."""
    return None


def nothing_kept(state: Mapping[str, Any]) -> Sequence[str]:
    """No reminders."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent of the catalogue.

    Attributes:
        id: public.
        name: public.
        prompt: the newest version of its prompt.
        tools: the subset of all tools that its chat may use.
        find_prompt: another version of its prompt by name, or None when there is none (Q3).
        reminders: what the model is told, for each reply only, of the values that its tools keep (N4, C5).
    """

    id: str
    name: str
    prompt: Prompt
    tools: Toolset
    find_prompt: Callable[[str], Prompt | None] = only_this
    reminders: Callable[[Mapping[str, Any]], Sequence[str]] = nothing_kept
