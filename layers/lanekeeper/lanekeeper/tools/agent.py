"""An agent: who answers, by which prompt, with which tools."""

from dataclasses import dataclass

from lanekeeper.tools.toolset import Toolset
from lanekeeper.types import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent of the catalogue. ``id`` and ``name`` are public; ``tools`` is the subset its chat may use."""

    id: str
    name: str
    prompt: Prompt
    tools: Toolset
