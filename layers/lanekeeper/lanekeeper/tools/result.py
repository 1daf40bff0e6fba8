"""A tool's result once it is checked, with all that belongs to it."""

from dataclasses import dataclass

from lanekeeper.tools.facts import Fact
from lanekeeper.tools.tool import Source, ToolOutput
from lanekeeper.types import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What may be shown of a call, to the model and to the page, and what is kept for later calls."""

    output: ToolOutput
    update: Json
    sources: tuple[Source, ...]
    facts: tuple[Fact, ...]
