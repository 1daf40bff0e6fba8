"""A finished turn whose chunks were swept away is told again from the transcript."""

import pytest

from lanekeeper.replies import Assembly
from lanekeeper.types import Json
from tests.integration.stream.author import ABORT, ANSWER, STEP, STEP_END, Author, search, text
from tests.integration.stream.conftest import OpenTab

TURNS = {
    "text, tool, sources": ANSWER,
    "failed tool": [
        STEP,
        *search(errorText="The search is down."),
        STEP_END,
        STEP,
        *text("text-2", "Sorry."),
        STEP_END,
    ],
    "several messages": [STEP, *text("text-1", "One."), *text("text-1b", "Two."), STEP_END],
    "data": [STEP, *text("text-1", "Sure?"), {"type": "data-confirm", "data": {"actionId": "a1"}}, STEP_END],
    "nothing said": [STEP, STEP_END],
}


def shown(chunks: list[Json]) -> Assembly:
    assembly = Assembly()
    for chunk in chunks:
        assembly.apply(chunk)
    return assembly


@pytest.mark.parametrize("kind", TURNS)
async def test_a_swept_turn_shows_what_the_live_one_showed(kind: str, author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.play(*TURNS[kind])
    async with open_tab(turn.path, turn.query) as tab:
        live = await tab.to_end()
    await turn.sweep()
    async with open_tab(turn.path, turn.query) as tab:
        retold = await tab.to_end()
        assert tab.done
    assert shown(retold).parts == shown(live).parts
    assert retold[:2] == live[:2]
    assert retold[2]["data"] == {"turnId": turn.id, "state": "done"}
    assert retold[-1] == live[-1]


async def test_a_swept_turn_that_was_stopped_ends_with_abort(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", "It all be"), STEP_END)
    await turn.end("stopped", ABORT)
    await turn.sweep()
    async with open_tab(turn.path, turn.query) as tab:
        chunks = await tab.to_end()
    assert "".join(chunk.get("delta", "") for chunk in chunks) == "It all be"
    assert chunks[-1] == ABORT


async def test_a_swept_turn_resumes_after_each_of_its_own_events(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.play(*ANSWER)
    await turn.sweep()
    async with open_tab(turn.path, turn.query) as tab:
        whole = await tab.to_end()
        ids = [event.id for event in tab.events]
    for index, event_id in enumerate(ids[:-1], 1):
        async with open_tab(turn.path, turn.query, last_event_id=event_id) as tab:
            assert await tab.to_end() == whole[index:]


async def test_an_event_id_from_before_the_sweep_is_never_taken_for_another_place(
    author: Author, open_tab: OpenTab
) -> None:
    turn = await author.turn()
    await turn.play(*ANSWER)
    await turn.sweep()
    async with open_tab(turn.path, turn.query, last_event_id=7) as tab:
        (chunk,) = await tab.to_end()
    assert chunk["type"] == "error"
    assert tab.done
