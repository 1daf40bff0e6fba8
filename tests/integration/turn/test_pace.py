"""Pace: typing from the start, a holding line for slow work only, the time to the first words measured (T3, T4)."""

import asyncio

from lanekeeper.lines import HOLDING_LINE
from tests.integration.turn.conftest import Talk, kinds
from tests.integration.turn.reading import shown_text

SEARCH = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
SLOW = {"calls": [{"name": "test_look", "args": {"query": "slow"}}]}


async def holding_lines(talk: Talk, turn_id: str) -> list[str]:
    return [chunk["data"]["text"] for chunk in await talk.chunks(turn_id) if chunk["type"] == "data-status"]


async def test_a_quick_turn_has_no_holding_line(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script(SEARCH, {"text": "Found it."})
    await talk.run()
    assert await holding_lines(talk, sent["turn_id"]) == []


async def test_a_model_that_is_slow_to_begin_has_one_and_it_is_never_kept(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "Hello.", "delay_s": 0.6})
    await talk.run(talk.new_engine(holding_line_s=0.2))
    assert await holding_lines(talk, sent["turn_id"]) == [HOLDING_LINE.en]
    order = kinds(await talk.chunks(sent["turn_id"]))
    assert order.index("data-status") < order.index("text-start")
    stored = await talk.rows(
        "select parts::text as kept from messages union all select message::text from thread_messages"
    )
    assert not any(HOLDING_LINE.en in row["kept"] for row in stored)


async def test_a_model_that_speaks_slowly_once_it_has_begun_has_none(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "word " * 12, "token_delay_ms": 80})
    await talk.run(talk.new_engine(holding_line_s=0.6))
    assert len(shown_text(await talk.chunks(sent["turn_id"]))) == 1
    assert await holding_lines(talk, sent["turn_id"]) == []


async def test_one_slow_stretch_has_one_line_though_the_model_is_asked_again(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"error": 500, "delay_s": 0.5}, {"text": "Hello.", "delay_s": 0.5})
    await talk.run(talk.new_engine(holding_line_s=0.2))
    assert await holding_lines(talk, sent["turn_id"]) == [HOLDING_LINE.en]


async def test_a_slow_tool_has_a_line_of_its_own(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script({**SLOW, "delay_s": 0.5}, {"text": "No luck."})
    await talk.run(talk.new_engine(holding_line_s=0.3))
    assert await holding_lines(talk, sent["turn_id"]) == [HOLDING_LINE.en] * 2


async def test_a_turn_is_seen_to_run_before_its_model_has_said_anything(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "Hello.", "delay_s": 0.5})
    running = asyncio.create_task(talk.run())

    async def asked() -> bool:
        return len(await talk.requests()) == 1

    await talk.until(asked)
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[:3] == ["start", "data-conversation", "data-turn"]
    assert chunks[2]["data"] == {"turnId": sent["turn_id"], "state": "running"}
    await running


async def test_the_time_to_the_first_words_is_measured_and_a_holding_line_is_no_word(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "Hello.", "delay_s": 0.6})
    await talk.run(talk.new_engine(holding_line_s=0.1))
    turn = await talk.turn(sent["turn_id"])
    timings = turn["timings"]
    assert timings["queuedMs"] + 500 < timings["firstReplyMs"] <= timings["totalMs"]
    assert turn["first_reply_at"] <= turn["finished_at"]
