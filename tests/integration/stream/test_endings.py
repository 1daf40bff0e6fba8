"""Turns that end in another way than by their own finish."""

from collections.abc import Callable

import pytest

from lanekeeper.stream import StreamApp
from tests.integration.stream.author import ABORT, ANSWER, STEP, STEP_END, Author, text
from tests.integration.stream.conftest import OpenTab

HONEST = text("honest-line", "I could not finish this. Please try again.")


async def test_a_folded_message_plays_the_turn_it_joined(author: Author, open_tab: OpenTab) -> None:
    first = await author.turn()
    second = await author.turn(conversation_id=first.conversation_id)
    await second.fold_into(first)
    await first.play(*ANSWER)
    async with open_tab(second.path, second.query) as tab:
        chunks = await tab.to_end()
    assert chunks[0] == {"type": "start", "messageId": first.reply_id}
    assert len(chunks) == first.seq
    async with open_tab(second.path, second.query, last_event_id=4) as tab:
        assert await tab.to_end() == chunks[4:]


async def test_a_message_folded_while_its_stream_waits_switches_to_the_turn_it_joined(
    author: Author, open_tab: OpenTab, stream_app: Callable[..., StreamApp]
) -> None:
    first = await author.turn()
    second = await author.turn(conversation_id=first.conversation_id)
    await first.begin()
    async with open_tab(second.path, second.query, app=stream_app(keep_alive_s=0.1)) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        await second.fold_into(first)
        await tab.until(lambda: tab.chunks)
        await first.say({"type": "data-joined", "data": {"messageId": "m2"}, "transient": True}, *ANSWER)
        await first.end()
        chunks = await tab.to_end()
    assert chunks[0] == {"type": "start", "messageId": first.reply_id}
    assert len(chunks) == first.seq


async def test_a_turn_that_fails_in_the_middle_ends_once_with_its_honest_line(
    author: Author, open_tab: OpenTab
) -> None:
    """B031: exactly one end, and the transcript's words."""
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query) as tab:
        await turn.say(STEP, *text("text-1", "It all be"))
        await turn.say(*HONEST, STEP_END)
        await turn.end("failed")
        chunks = await tab.to_end()
    assert [chunk["type"] for chunk in chunks if chunk["type"] in ("finish", "abort", "error")] == ["finish"]
    assert chunks[-1]["type"] == "finish"
    assert tab.raw.count(b"[DONE]") == 1


async def test_an_error_chunk_ends_a_stream(author: Author, open_tab: OpenTab) -> None:
    """B031: whoever writes one, nothing comes after it and nobody waits on."""
    turn = await author.turn()
    await turn.begin()
    await turn.say({"type": "error", "errorText": "I could not finish this."})
    async with open_tab(turn.path, turn.query) as tab:
        assert (await tab.to_end())[-1]["type"] == "error"
        assert tab.done


async def test_a_stopped_turn_ends_with_abort(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query) as tab:
        await turn.say(STEP, *text("text-1", "It all be"), STEP_END)
        await turn.end("stopped", ABORT)
        chunks = await tab.to_end()
    assert chunks[-1] == ABORT
    assert tab.done


async def test_a_turn_stopped_before_it_began_ends_its_stream(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    async with open_tab(turn.path, turn.query) as tab:
        await author.set_state(turn, "stopped")
        chunks = await tab.to_end()
    assert [chunk["type"] for chunk in chunks] == ["start", "data-conversation", "data-turn", "abort"]
    assert tab.done


async def test_a_turn_that_ended_without_a_closing_chunk_ends_its_stream(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    await author.set_state(turn, "stopped")
    async with open_tab(turn.path, turn.query) as tab:
        chunks = await tab.to_end()
    assert [chunk["type"] for chunk in chunks] == ["start", "data-conversation", "data-turn", "abort"]


async def test_a_deleted_conversation_ends_its_streams(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query) as tab:
        await tab.until(lambda: tab.chunks)
        await author.connection.execute("delete from conversations where id = %s", [turn.conversation_id])
        assert (await tab.to_end())[-1] == {"type": "abort"}
        assert tab.done


async def test_a_missing_chunk_is_waited_for_and_never_skipped(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", "one"))
    await author.connection.execute("update reply_chunks set seq = -5 where seq = 5")
    async with open_tab(turn.path, turn.query) as tab:
        await tab.until(lambda: len(tab.chunks) == 4)
        await author.connection.execute("update reply_chunks set seq = 5 where seq = -5")
        await turn.end()
        chunks = await tab.to_end()
    assert len(chunks) == turn.seq


@pytest.mark.parametrize(("lost", "end"), [(5, "error"), (1, "finish")])
async def test_a_finished_turn_that_misses_a_chunk_ends_its_streams(
    lost: int, end: str, author: Author, open_tab: OpenTab
) -> None:
    """Whoever has seen nothing of it yet is told it from the transcript; whoever has is asked to load it anew."""
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", "one"))
    await turn.end()
    await author.connection.execute("delete from reply_chunks where seq = %s", [lost])
    async with open_tab(turn.path, turn.query) as tab:
        assert (await tab.to_end())[-1]["type"] == end
        assert tab.done


@pytest.mark.parametrize("when", ["queued", "running", "done"])
async def test_an_event_that_the_turn_does_not_have_cannot_be_resumed_from(
    when: str, author: Author, open_tab: OpenTab
) -> None:
    turn = await author.turn()
    if when != "queued":
        await turn.begin()
    if when == "done":
        await turn.end()
    async with open_tab(turn.path, turn.query, last_event_id=turn.seq + 1) as tab:
        assert [chunk["type"] for chunk in await tab.to_end()] == ["error"]
        assert tab.done


async def test_events_lost_by_a_crash_of_the_database_are_not_papered_over(author: Author, open_tab: OpenTab) -> None:
    """Chunks do not wait for the disk. A client that saw lost ones is told to load the reply anew."""
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", "words that ", "were lost"))
    async with open_tab(turn.path, turn.query) as tab:
        await tab.until(lambda: len(tab.chunks) == turn.seq)
        await author.connection.execute("delete from reply_chunks where seq > 5")
        assert (await tab.to_end())[-1]["type"] == "error"
