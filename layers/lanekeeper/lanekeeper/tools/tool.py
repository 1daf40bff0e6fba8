"""What a tool is."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """For whom and when a tool runs. Who that is comes from the signed-in session alone, never from arguments (E1).

    ``now`` is the turn's moment, aware; ``timezone`` the person's IANA zone.
    """

    user_id: str
    conversation_id: str
    turn_id: str
    timezone: str
    now: datetime


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
        run: does the job. Raises ToolFailure to refuse, TransientError for a fault that may have passed.
        effects: whether it changes anything, and whether that can be undone.
        timeout_s: seconds a call may take, retry included; None takes the common limit.
        examples: phrases and arguments, shown with the description.
        notice: a line put before the result, where its text was written by strangers.
        sources: where the result was found, for the page.
    """

    name: str
    description: str
    input: type[In]
    output: type[Out]
    run: Callable[[ToolContext, In], Awaitable[Out]]
    effects: Effects = "read"
    timeout_s: float | None = None
    examples: tuple[Example, ...] = ()
    notice: str = ""
    sources: Callable[[Out], Sequence[Source]] = lambda _output: ()

    @property
    def writes(self) -> bool:
        """Whether a call changes anything."""
        return self.effects != "read"


AnyTool = Tool[Any, Any]
