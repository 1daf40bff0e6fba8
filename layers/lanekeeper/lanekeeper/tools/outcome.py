"""What a call came to, for the model, for the page, and for the turn."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lanekeeper.limits import Limits
from lanekeeper.mainline.text import canonical, dumps, storable
from lanekeeper.tools.facts import Fact
from lanekeeper.tools.failure import ToolFailure
from lanekeeper.tools.fit import fit
from lanekeeper.tools.result import Result
from lanekeeper.tools.state import UPDATE
from lanekeeper.tools.tool import AnyTool, Source
from lanekeeper.types import Json

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of one call. Every call has exactly one, failed or not.

    Attributes:
        call_id: the call it answers.
        name: the tool's name, as the model wrote it.
        content: JSON text for the model, within the byte limit, the same bytes for the same result.
        output: JSON for the page: the result, or ``{"error": {...}}``.
        sources: where the result was found.
        facts: the lines of the result that a reply gives as they are.
        update: what later calls of this conversation are to find kept.
        failure: the words of the failure, None when there was none.
        wrote: whether the call changed something.
    """

    call_id: str
    name: str
    content: str
    output: Json
    sources: tuple[Source, ...] = ()
    facts: tuple[Fact, ...] = ()
    update: Json = field(default_factory=dict)
    failure: str | None = None
    wrote: bool = False

    @property
    def is_error(self) -> bool:
        """Whether the call failed or was refused."""
        return self.failure is not None

    def message(self) -> "ToolMessage":
        """The outcome as the message that follows the call in the history."""
        from langchain_core.messages import ToolMessage

        artifact: Json = {
            "output": self.output,
            "sources": [{"url": source.url, "title": source.title} for source in self.sources],
        }
        if self.facts:
            artifact["facts"] = [{"kind": fact.kind, "text": fact.text} for fact in self.facts]
        if self.update:
            artifact[UPDATE] = self.update
        if self.failure is not None:
            artifact["message"] = self.failure
        if self.wrote:
            artifact["wrote"] = True
        return ToolMessage(
            content=self.content,
            tool_call_id=self.call_id,
            name=self.name,
            status="error" if self.is_error else "success",
            artifact=artifact,
        )


def succeeded(call_id: str, tool: AnyTool, result: Result, limits: Limits) -> Outcome:
    """A result, cut to what a model should read, and to what a page can show.

    Raises:
        ValueError: it holds what JSON cannot say.
    """
    whole = _clean(result.output.model_dump(mode="json", exclude_none=True))
    notice: Json = {"notice": tool.notice} if tool.notice else {}
    room = limits.result_bytes - len(dumps(notice).encode())
    return Outcome(
        call_id=call_id,
        name=tool.name,
        content=dumps(notice | fit(_canonical_inside(whole), room)),
        output=fit(whole, limits.output_bytes),
        sources=result.sources,
        facts=result.facts,
        update=result.update,
        wrote=tool.writes,
    )


def failed(call_id: str, name: str, failure: ToolFailure, limits: Limits) -> Outcome:
    """A failure, in its own words."""
    body = fit(_clean({"error": failure.body()}), limits.result_bytes)
    return Outcome(call_id=call_id, name=name, content=dumps(body), output=body, failure=storable(failure.message))


def _canonical_inside(output: Json) -> Json:
    """The result's fields as its model orders them, with free-form data inside in canonical form."""
    return {key: canonical(value) if isinstance(value, dict) else value for key, value in output.items()}


def _clean(value: Any) -> Any:
    """The value with every text storable: what a vendor sent may hold anything."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): _clean(item) for key, item in value.items()}
    return value
