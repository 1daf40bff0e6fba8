"""``memory_remember`` and ``memory_forget``: what they hand over, and that they repeat nothing of it (W4)."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import pytest

from lanekeeper.mainline.reply import ToolCall
from lanekeeper.tools import Memory, NoteKind, Outcome, ToolFailure, Toolset
from tests.unit.tools.toys import CONTEXT, LIMITS
from toolsets import memory

ANA = {"kind": "fact", "subject": "sister's name", "body": "My sister is called Ana"}


@dataclass
class Notes:
    """A memory that only writes down what is asked of it, or refuses."""

    refuses: str = ""
    asked: list[tuple[str, ...]] = field(default_factory=list)

    async def remember(self, call_id: str, kind: NoteKind, subject: str, body: str) -> None:
        self._take(call_id, kind, subject, body)

    async def forget(self, call_id: str, subject: str) -> None:
        self._take(call_id, subject)

    def _take(self, *asked: str) -> None:
        if self.refuses:
            raise ToolFailure(self.refuses, "Leave it.")
        self.asked.append(asked)


async def called(name: str, arguments: dict[str, Any], notes: Memory | None) -> Outcome:
    context = dataclasses.replace(CONTEXT, memory=notes)
    return await Toolset(memory.tools(), LIMITS).call(ToolCall("c1", name, arguments), context)


async def test_the_fact_is_handed_over_as_it_was_given_and_not_repeated():
    notes = Notes()
    outcome = await called("memory_remember", ANA, notes)
    assert notes.asked == [("c1", "fact", "sister's name", "My sister is called Ana")]
    assert outcome.output["state"] == "kept"
    assert outcome.wrote
    assert "Ana" not in outcome.content


async def test_the_subject_is_handed_over_and_not_repeated():
    notes = Notes()
    outcome = await called("memory_forget", {"subject": " sister's name "}, notes)
    assert notes.asked == [("c1", "sister's name")]
    assert outcome.output["state"] == "forgotten"
    assert outcome.wrote
    assert "never say again" in outcome.content


@pytest.mark.parametrize(("name", "arguments"), [("memory_remember", ANA), ("memory_forget", {"subject": "sister"})])
async def test_a_refusal_and_a_place_without_memory_are_told_in_plain_words(name: str, arguments: dict[str, Any]):
    refused = await called(name, arguments, Notes(refuses="Secrets are never kept."))
    assert refused.failure == "Secrets are never kept."
    assert not refused.wrote
    nowhere = await called(name, arguments, None)
    assert "from here" in (nowhere.failure or "")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_remember", ANA | {"kind": "secret"}),
        ("memory_remember", ANA | {"subject": "  "}),
        ("memory_remember", ANA | {"body": ""}),
        ("memory_remember", ANA | {"user_id": "ben"}),
        ("memory_forget", {"subject": ""}),
        ("memory_forget", {"subject": "sister", "user_id": "ben"}),
    ],
)
async def test_what_is_missing_or_too_much_never_reaches_the_notes_b064(name: str, arguments: dict[str, Any]):
    notes = Notes()
    assert (await called(name, arguments, notes)).is_error
    assert notes.asked == []
