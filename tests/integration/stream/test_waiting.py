"""Whoever waits for a summary is told so once, beside the reply and in their language (C4)."""

from collections.abc import Callable
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.lines import WAITING_LINE
from lanekeeper.stream import StreamApp
from tests.integration.stream.author import ANSWER, Author, Turn
from tests.integration.stream.conftest import OpenTab


async def waiting(author: Author, conversation_id: str | None = None) -> Turn:
    turn = await author.turn(conversation_id=conversation_id)
    await author.connection.execute("update inbox set state = 'waiting' where turn_id = %s", [turn.id])
    return turn


async def go_on(author: Author, turn: Turn) -> None:
    await author.connection.execute("update inbox set state = 'running' where turn_id = %s", [turn.id])
    await turn.play(*ANSWER)


async def test_a_stream_says_once_that_its_turn_waits_and_stays_open_until_it_has_run(
    author: Author, open_tab: OpenTab, stream_app: Callable[..., StreamApp]
) -> None:
    turn = await waiting(author)
    app = stream_app(keep_alive_s=0.1, stream_glance_s=0.02)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: tab.raw.count(b": keep-alive\n\n") >= 3)
        assert tab.chunks == [{"type": "data-status", "data": {"text": WAITING_LINE.en}, "transient": True}]
        await go_on(author, turn)
        chunks = await tab.to_end()
    assert [chunk["type"] for chunk in chunks].count("data-status") == 1
    assert [chunk["type"] for chunk in chunks[:2]] == ["data-status", "start"]
    # It is no chunk of the turn: the turn's own keep their numbers, by which a stream is resumed.
    assert not tab.events[0].id
    assert [event.id for event in tab.events[1:]] == [*map(str, range(1, turn.seq + 1)), str(turn.seq)]


async def test_a_turn_that_merely_stands_in_line_is_told_nothing(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    async with open_tab(turn.path, turn.query) as tab:
        await turn.play(*ANSWER)
        assert "data-status" not in {chunk["type"] for chunk in await tab.to_end()}


@pytest.mark.parametrize(
    ("judged", "line"),
    [(["de", 0.9], WAITING_LINE.de), (["other", 0.8], WAITING_LINE.en), ("nonsense", WAITING_LINE.en)],
)
async def test_it_is_said_in_the_language_of_the_conversation(
    judged: Any, line: str, author: Author, open_tab: OpenTab
) -> None:
    before = await author.turn()
    await before.play(*ANSWER)
    await author.connection.execute(
        "insert into verdicts (turn_id, user_id, source, scores, took_ms) values (%s, 'ana', 'gateway', %s, 1)",
        [before.id, Jsonb({"language": judged})],
    )
    turn = await waiting(author, before.conversation_id)
    async with open_tab(turn.path, turn.query) as tab:
        await tab.until(lambda: tab.chunks)
        assert tab.chunks[0]["data"] == {"text": line}
