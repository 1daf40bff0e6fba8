"""A turn is followed from its first chunk, or any later one, to its end."""

import asyncio
from collections.abc import Callable

import pytest

from lanekeeper.stream import StreamApp
from tests.integration.stream.author import ANSWER, STEP, Author, text
from tests.integration.stream.conftest import OpenTab
from tests.integration.stream.tab import parse
from tests.unit.stream.test_rules import UNRULY


async def test_a_running_turn_is_played_from_its_first_chunk_and_followed_to_its_end(
    author: Author, open_tab: OpenTab
) -> None:
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query) as tab:
        assert tab.status == 200
        await tab.until(lambda: len(tab.chunks) == 3)
        await turn.say(*ANSWER)
        await turn.end()
        chunks = await tab.to_end()
    assert [chunk["type"] for chunk in chunks[:3]] == ["start", "data-conversation", "data-turn"]
    assert chunks[3:-1] == ANSWER
    assert chunks[-1] == turn.finish_chunk
    assert [event.id for event in tab.events] == [*map(str, range(1, turn.seq + 1)), str(turn.seq)]
    assert tab.done


async def test_the_headers_are_those_of_a_ui_message_stream(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.play()
    async with open_tab(turn.path, turn.query) as tab:
        await tab.to_end()
    assert {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    }.items() <= tab.headers.items()


async def test_each_chunk_leaves_before_the_next_is_written(author: Author, open_tab: OpenTab) -> None:
    """B037: nothing waits for the end of the turn."""
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query) as tab:
        for chunk in ANSWER:
            await turn.say(chunk)
            await tab.until(lambda: tab.chunks and len(tab.chunks) == turn.seq)
        await turn.end()
        await tab.to_end()


@pytest.mark.parametrize("way", ["header", "query", "both"])
async def test_a_stream_resumes_after_every_event(way: str, author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.play(*ANSWER)
    async with open_tab(turn.path, turn.query) as tab:
        whole = await tab.to_end()
    for after in range(turn.seq + 1):
        query = f"{turn.query}&after={0 if way == 'both' else after}" if way != "header" else turn.query
        async with open_tab(turn.path, query, last_event_id=None if way == "query" else after) as tab:
            assert await tab.to_end() == whole[after:]
            assert tab.done


async def test_a_live_stream_resumes_where_it_was_cut(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query) as tab:
        await turn.say(STEP, *text("text-1", "Half"))
        await tab.until(lambda: len(tab.chunks) == turn.seq)
        seen = tab.chunks
    await turn.say(*text("text-2", "and half"))
    async with open_tab(turn.path, turn.query, last_event_id=len(seen)) as tab:
        await turn.end()
        rest = await tab.to_end()
    async with open_tab(turn.path, turn.query) as tab:
        assert await tab.to_end() == seen + rest


async def test_a_finished_turn_asked_for_at_its_end_is_only_done(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.play(*ANSWER)
    async with open_tab(turn.path, turn.query, last_event_id=turn.seq) as tab:
        assert await tab.to_end() == []
        assert tab.done


async def test_a_long_replay_goes_out_whole(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", *(f"word {number} " for number in range(1100))))
    await turn.end()
    async with open_tab(turn.path, turn.query) as tab:
        chunks = await tab.to_end()
    assert "".join(chunk.get("delta", "") for chunk in chunks) == "".join(f"word {number} " for number in range(1100))


async def test_b035_every_character_arrives(author: Author, open_tab: OpenTab) -> None:
    """B035: through the database and the wire, for a client that splits at every line end of Unicode as well."""
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", UNRULY))
    await turn.end()
    async with open_tab(turn.path, turn.query) as tab:
        chunks = await tab.to_end()
    assert chunks[5]["delta"] == UNRULY
    assert parse("\n".join(tab.raw.decode().splitlines()).encode() + b"\n\n") == tab.events


async def test_several_tabs_see_the_same(
    author: Author, open_tab: OpenTab, stream_app: Callable[..., StreamApp]
) -> None:
    turn = await author.turn()
    await turn.begin()
    other = stream_app()
    async with (
        open_tab(turn.path, turn.query) as first,
        open_tab(turn.path, turn.query, app=other) as second,
        open_tab(turn.path, app=other) as third,
    ):
        for chunk in ANSWER:
            await turn.say(chunk)
        await turn.end()
        seen = [await tab.to_end() for tab in (first, second, third)]
    assert len(seen[0]) == turn.seq
    assert seen[0] == seen[1] == seen[2]


async def test_a_queued_turn_keeps_its_stream_open_until_a_worker_comes(
    author: Author, open_tab: OpenTab, stream_app: Callable[..., StreamApp]
) -> None:
    turn = await author.turn()
    app = stream_app(keep_alive_s=0.1)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: tab.raw.count(b": keep-alive\n\n") >= 2)
        assert not tab.chunks
        await turn.play(*ANSWER)
        assert (await tab.to_end())[-1]["type"] == "finish"


async def test_without_a_name_the_oldest_turn_that_is_not_over_is_played(author: Author, open_tab: OpenTab) -> None:
    """B029: the stream carries the running turn's own message, never the previous answer."""
    conversation = await author.conversation()
    done, running, queued = [await author.turn(conversation_id=conversation) for _ in range(3)]
    await done.play(*ANSWER)
    await running.begin()
    async with open_tab(running.path) as tab:
        await running.say(*ANSWER)
        await running.end()
        chunks = await tab.to_end()
    assert chunks[0] == {"type": "start", "messageId": running.reply_id}
    assert [chunk["type"] for chunk in chunks].count("start") == 1
    async with open_tab(queued.path) as tab:
        await queued.begin()
        await tab.until(lambda: tab.chunks)
        assert tab.chunks[0]["messageId"] == queued.reply_id


async def test_without_a_name_and_a_running_turn_there_is_nothing(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.play(*ANSWER)
    async with open_tab(turn.path) as tab:
        await tab.until(lambda: tab.ended)
        assert (tab.status, tab.raw) == (204, b"")


async def test_a_stock_client_may_call_its_conversation_by_its_own_id(author: Author, open_tab: OpenTab) -> None:
    conversation = await author.conversation(alias="chat-7f")
    turn = await author.turn(conversation_id=conversation)
    await turn.begin()
    async with open_tab("/chat/chat-7f/stream") as tab:
        await tab.until(lambda: len(tab.chunks) == 3)
    await author.conversation("bob", alias="chat-8")
    async with open_tab("/chat/chat-8/stream") as tab:
        assert tab.status == 404


async def test_a_turn_whose_reply_is_not_delivered_is_not_over(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    await turn.say(*ANSWER)
    await turn.end_undelivered()
    async with open_tab(turn.path, turn.query) as named, open_tab(turn.path) as unnamed:
        for tab in (named, unnamed):
            await tab.until(lambda tab=tab: len(tab.chunks) == turn.seq)
            assert not tab.ended
        await turn.deliver()
        for tab in (named, unnamed):
            assert (await tab.to_end())[-1]["type"] == "finish"


async def test_two_streams_of_one_process_share_its_connection(author: Author, open_tab: OpenTab) -> None:
    turns = [await author.turn(user) for user in ("ana", "bob", "cleo")]
    async with asyncio.TaskGroup() as group:

        async def follow(index: int) -> None:
            turn = turns[index]
            async with open_tab(turn.path, turn.query, user_id=turn.user_id) as tab:
                chunks = await tab.to_end()
            assert chunks[0]["messageId"] == turn.reply_id
            assert chunks[3:-1] == ANSWER

        for index in range(len(turns)):
            group.create_task(follow(index))
        for turn in turns:
            await turn.play(*ANSWER)
    backends = await author.one("select count(*) as n from pg_stat_activity where application_name = 'test-stream'")
    assert backends["n"] == 1
