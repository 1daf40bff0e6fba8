"""What a tool can do besides giving a result: show how it gets on, and put what it pays for on the books."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from lanekeeper.ledger.rules import Usage, settle
from lanekeeper.tools import Fact, Source, ToolContext, ToolFailure, TransientError, facts_of
from tests.unit.mainline.gateway import Book
from tests.unit.tools.toys import CONTEXT, NoteInput, NoteOutput, call, note_tool, toolset


@dataclass
class Watched:
    seen: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    def progress(self, call_id: str, text: str, details: Mapping[str, Any]) -> None:
        self.seen.append((call_id, text, dict(details)))


async def test_progress_names_the_call_it_belongs_to_n7():
    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        context.progress(f"Reading {given.title}", done=1, total=2)
        await asyncio.sleep(0)
        context.progress("Nearly there")
        return NoteOutput(text="x")

    watched = Watched()
    calls = [call({"title": title, "kind": "fact"}, call_id=title) for title in ("a", "b")]
    await toolset(note_tool(run)).call_all(calls, replace(CONTEXT, watcher=watched))
    assert sorted(watched.seen) == [
        ("a", "Nearly there", {}),
        ("a", "Reading a", {"done": 1, "total": 2}),
        ("b", "Nearly there", {}),
        ("b", "Reading b", {"done": 1, "total": 2}),
    ]


async def test_a_second_try_is_told_n7():
    tries = []

    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        tries.append(given)
        if len(tries) == 1:
            raise TransientError
        return NoteOutput(text="x")

    watched = Watched()
    await toolset(note_tool(run)).call(call(), replace(CONTEXT, watcher=watched))
    assert watched.seen == [("c1", "Trying once more", {})]


async def test_progress_goes_nowhere_when_nobody_watches_n7():
    CONTEXT.progress("Reading")


@pytest.mark.parametrize("error", [None, RuntimeError(), ToolFailure("no", "no"), asyncio.CancelledError()])
async def test_a_paid_request_is_on_the_books_before_it_is_made_and_after_whatever_happens_k2(
    error: BaseException | None,
):
    book, on_the_books = Book(), []

    async def ask() -> None:
        async with replace(CONTEXT, meter=book).paid("web_search", "search", 8000):
            on_the_books.append(len(book.opened_calls))
            if error:
                raise error

    if error:
        with pytest.raises(type(error)):
            await ask()
    else:
        await ask()
    assert on_the_books == [1]
    usage, failed = book.only
    paid = book.opened_calls[0]
    assert (paid.user_id, paid.turn_id, paid.feature, paid.model, paid.micros) == (
        "ana",
        "turn_1",
        "web_search",
        "search",
        8000,
    )
    assert failed is (error is not None)
    assert settle(usage, None, failed=failed) == (8000, "failed" if error else "exact")
    assert usage == Usage(micros=8000, reported=True)


async def test_facts_stand_with_the_result_and_sources_are_links_e2():
    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        return NoteOutput(text="12.50 EUR", link="https://example.com/a")

    tool = note_tool(run, facts=lambda output: [Fact("money", output.text)])
    outcome = await toolset(tool).call(call(), CONTEXT)
    assert outcome.facts == (Fact("money", "12.50 EUR"),)
    assert outcome.sources == (Source("https://example.com/a", "12.50 EUR"),)
    assert list(facts_of(outcome.message())) == [Fact("money", "12.50 EUR"), Fact("link", "https://example.com/a")]


@pytest.mark.parametrize("part", ["facts", "sources"])
async def test_a_tool_that_cannot_name_its_facts_fails_in_plain_words_like_any_other_n5(part: str):
    def broken(output: NoteOutput) -> list[Any]:
        raise KeyError(output.text)

    outcome = await toolset(note_tool(**{part: broken})).call(call(), CONTEXT)
    assert outcome.is_error
    assert "fault on our side" in outcome.content
