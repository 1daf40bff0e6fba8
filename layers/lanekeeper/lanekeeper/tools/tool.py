"""What a tool is."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from lanekeeper.tools.context import ToolContext
from lanekeeper.tools.facts import Fact

Effects = Literal["read", "write", "irreversible"]


class ToolInput(BaseModel):
    """Arguments as the model must give them: nothing extra, nothing of another type (O3).

    Every field is named in the call. One that may be left open is typed ``X | None`` and defaults to None.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ToolOutput(BaseModel):
    """A result. It is validated before the model sees it (O3)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


In = TypeVar("In", bound=ToolInput)
Out = TypeVar("Out", bound=ToolOutput)


@dataclass(frozen=True, slots=True)
class Command(Generic[Out]):
    """A result, and what the conversation is to hold from now on (N4).

    Attributes:
        result: the tool's result.
        update: JSON values by name. Each replaces what was kept under its name; None takes it away. They are written
            together with the result, or not at all.
    """

    result: Out
    update: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a result was found."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Example:
    """What a person really says, and the arguments that answer it (O2)."""

    phrase: str
    arguments: ToolInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[In, Out]):
    """One job that a model can ask for.

    Attributes:
        name: its area, an underscore, what it does: ``web_search``.
        description: for somebody new: what it does, when to use it, when not, what it does not return.
        input: its arguments; each field has a description.
        output: its result.
        run: does the job and gives the result, in a Command when something is to be kept for later calls. Raises
            ToolFailure to refuse, TransientError for a fault that may have passed.
        effects: whether it changes anything, and whether that can be undone.
        timeout_s: seconds a call may take, retry included; None takes the common limit.
        examples: phrases and arguments, shown with the description.
        notice: a line put before the result, where its text was written by strangers.
        sources: where the result was found, for the page.
        facts: the formatted lines of the result that a reply must give as they are (E2); sources are facts anyway.
    """

    name: str
    description: str
    input: type[In]
    output: type[Out]
    run: Callable[[ToolContext, In], Awaitable[Out | Command[Out]]]
    effects: Effects = "read"
    timeout_s: float | None = None
    examples: tuple[Example, ...] = ()
    notice: str = ""
    sources: Callable[[Out], Sequence[Source]] = lambda _output: ()
    facts: Callable[[Out], Sequence[Fact]] = lambda _output: ()

    @property
    def writes(self) -> bool:
        """Whether a call changes anything."""
        return self.effects != "read"


AnyTool = Tool[Any, Any]
