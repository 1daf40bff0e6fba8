"""Facts: the formatted lines that code owns and a model places as they are (E2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage

FactKind = Literal["money", "date", "reference", "link"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One formatted value, such as ``12.50 EUR``, exactly as a reply may say it."""

    kind: FactKind
    text: str


def facts_of(message: "ToolMessage") -> Iterator[Fact]:
    """The facts that a recorded tool result holds: those its tool named, and a link for each of its sources."""
    recorded = message.artifact or {}
    for fact in recorded.get("facts", ()):
        yield Fact(fact["kind"], fact["text"])
    for source in recorded.get("sources", ()):
        yield Fact("link", source["url"])
