"""What the real AI SDK clients show of a stream: the reply that is stored, in every major."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.errors import LaneLostError
from lanekeeper.lane import Hold
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database
from lanekeeper.replies import ReplyStream
from lanekeeper.types import Json
from tests.devkit import sdk
from tests.integration.stream.author import (
    ABORT,
    ANSWER,
    STEP,
    STEP_END,
    Author,
    Turn,
    progress,
    reasoning,
    search,
    text,
)
from tests.integration.stream.conftest import OpenTab
from tests.integration.stream.tab import Tab
from tests.unit.stream.test_rules import UNRULY

REPLIES = {
    "text, tool, sources": ANSWER,
    "failed tool": [
        STEP,
        *search(errorText="The search is down."),
        STEP_END,
        STEP,
        *text("text-2", "Sorry."),
        STEP_END,
    ],
    "unruly text": [STEP, *text("text-1", UNRULY), STEP_END],
    "confirm card": [STEP, *text("text-1", "Sure?"), {"type": "data-confirm", "data": {"actionId": "a1"}}, STEP_END],
    "thoughts, progress, two texts": [
        STEP,
        *reasoning("reasoning-1", "They ask ", "about tides."),
        *search()[:1],
        progress("Reading page 1"),
        progress("Reading page 2", done=2, total=3),
        *search()[1:],
        STEP_END,
        STEP,
        *reasoning("reasoning-2", "So it is."),
        *text("text-1", "Twice ", "a day."),
        *text("text-2", "Every day."),
        STEP_END,
    ],
    "no result": [STEP, *search(output=None), STEP_END],
}


async def play(*captures: bytes, **options: Any) -> dict[int, sdk.Shown]:
    return await asyncio.to_thread(sdk.play, *captures, **options)


async def captured(tab: Tab) -> bytes:
    async with tab:
        await tab.to_end()
    return tab.raw


def reply_of(shown: sdk.Shown) -> Json:
    """The one assistant message on the screen, after an answer without complaint."""
    assert (shown["status"], shown["error"]) == ("ready", None)
    assert not {"isError", "isDisconnect"} & {how for how, so in shown["finishes"][-1].items() if so}
    (reply,) = (message for message in shown["messages"] if message["role"] == "assistant")
    return dict(reply)


def is_stored(reply: Json, turn: Turn) -> None:
    assert reply["id"] == turn.reply_id
    # The newest client keeps the id of a reasoning part beside what the others keep.
    shown = [part | {"id": None} if part["type"] == "reasoning" else part for part in reply["parts"]]
    stored = [part | {"id": None} if part["type"] == "reasoning" else part for part in turn.shown.parts]
    assert shown == stored
    assert reply["metadata"] == turn.metadata


@pytest.mark.parametrize("kind", REPLIES)
async def test_every_client_shows_the_stored_reply_live_and_retold(
    kind: str, author: Author, open_tab: OpenTab
) -> None:
    """B027 among them: the texts of two steps stay two parts, with the tool between them."""
    turn = await author.turn()
    await turn.play(*REPLIES[kind])
    live = await captured(open_tab(turn.path, turn.query))
    await turn.sweep()
    retold = await captured(open_tab(turn.path, turn.query))
    for capture, piece in ((live, 0), (live, 5), (retold, 0)):
        for shown in (await play(capture, piece=piece)).values():
            is_stored(reply_of(shown), turn)
            kinds = [part["type"] for part in shown["data"]][:2]
            assert kinds == ["data-conversation", "data-turn"]


@pytest.mark.parametrize("seen", [1, 3, 5, 6, 9, 14])
async def test_a_cut_and_a_resume_show_one_reply(seen: int, author: Author, open_tab: OpenTab) -> None:
    """A stock client asks without an id and gets the whole turn under the message id it has."""
    turn = await author.turn()
    await turn.begin()
    for chunk in ANSWER:
        await turn.say(chunk)
    async with open_tab(turn.path) as tab:
        await tab.until(lambda: len(tab.chunks) == turn.seq)
        await turn.end()
        await tab.to_end()
    whole = tab.raw
    at = whole.index(b"id: %d\n" % (seen + 1))
    # 5 cannot take up a stream in the page that lost it: it puts the replay behind what it shows already.
    for shown in (await play(whole[:at], whole, majors=(6, 7))).values():
        is_stored(reply_of(shown), turn)
    for shown in (await play(whole[:at], whole, reload=True)).values():
        is_stored(reply_of(shown), turn)


async def test_a_draft_continued_by_another_worker_shows_as_one_text(
    author: Author, open_tab: OpenTab, database_as: Callable[[str], Database]
) -> None:
    """A worker dies after its first words. The next one goes on in the same text part; no client sees two."""
    turn = await author.turn()
    conversation, stand = {"id": turn.conversation_id, "title": ""}, {"turnId": turn.id, "state": "running"}
    await author.connection.execute("insert into lanes (user_id, epoch) values ('ana', 1)")
    await author.set_state(turn, "running")
    first = ReplyStream(database_as("worker"), Hold("ana", 1), turn.id, Limits())
    first.open(turn.reply_id, conversation, stand)
    first.begin_step(1)
    first.text(1, "The tide turns ")
    await first.flush()
    async with open_tab(turn.path, turn.query) as before:
        await before.until(lambda: b"tide turns" in before.raw)
        await author.connection.execute("update lanes set epoch = 2")
        first.text(1, "once a day, said the dead.")
        with pytest.raises(LaneLostError):
            await first.flush()

        second = ReplyStream(database_as("worker"), Hold("ana", 2), turn.id, Limits())
        await second.restore()
        second.open(turn.reply_id, conversation, stand)
        second.begin_step(1)
        second.complete_text(1, second.text_so_far(1) + "twice a day.")
        second.end_step(1)
        await second.flush()
        turn.seq, turn.shown = second.next_seq - 1, second.shown
        await turn.end()
        await before.to_end()
    after = await captured(open_tab(turn.path, turn.query))
    for capture in (before.raw, after):
        for shown in (await play(capture)).values():
            reply = reply_of(shown)
            is_stored(reply, turn)
            assert [part["text"] for part in reply["parts"][1:]] == ["The tide turns twice a day."]


async def test_a_failed_turn_shows_its_honest_line_and_stops_typing(author: Author, open_tab: OpenTab) -> None:
    """B031: one end, a text from the transcript, and the client is ready for the next message."""
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", "It all be"), *text("line", "I could not finish this."), STEP_END)
    await turn.end("failed")
    for shown in (await play(await captured(open_tab(turn.path, turn.query)))).values():
        is_stored(reply_of(shown), turn)


async def test_a_stopped_turn_keeps_what_was_said(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, *text("text-1", "It all be"), STEP_END)
    await turn.end("stopped", ABORT)
    for shown in (await play(await captured(open_tab(turn.path, turn.query)))).values():
        assert reply_of(shown)["parts"] == turn.shown.parts
