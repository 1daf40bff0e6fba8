"""What a model says it thinks: shown where the catalogue says so, stored with the reply, and none of its words (N8)."""

import asyncio
import json
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.replies.contract import MARK
from lanekeeper.turn.thoughts import LEFT_OUT
from tests.integration.turn.conftest import Talk, kinds

THINKING = {"reasoning": "They greet me. I greet back.", "text": "Hello Ana."}
CALL = {"reasoning": "I should look.", "calls": [{"name": "test_look", "args": {"query": "owls"}}]}


async def catalogue(talk: Talk, **how: Any) -> None:
    models = {"models": [{"id": "small", **how}, {"id": "large"}]}
    await talk.rows(
        "insert into settings (key, value, changed_by) values ('models', %s, 'test') returning key", Jsonb(models)
    )


async def parts_of(talk: Talk) -> list[dict[str, Any]]:
    [row] = await talk.rows("select parts from messages where role = 'assistant' order by position limit 1")
    return list(row["parts"])


async def test_thoughts_are_shown_before_the_words_and_stored_with_them(talk: Talk) -> None:
    await catalogue(talk, reasoning="shown")
    sent = await talk.say("hello")
    await talk.script(THINKING)
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[3:] == [
        "start-step",
        "reasoning-start",
        "reasoning-end",
        "text-start",
        "text-end",
        "finish-step",
        "finish",
    ]
    assert await parts_of(talk) == [
        {"type": "step-start"},
        {"type": "reasoning", "text": THINKING["reasoning"], "state": "done"},
        {"type": "text", "text": "Hello Ana.", "state": "done"},
    ]


@pytest.mark.parametrize("how", [{}, {"reasoning": "hidden"}])
async def test_thoughts_are_nobodys_unless_the_catalogue_says_so(how: dict[str, str], talk: Talk) -> None:
    await catalogue(talk, **how)
    sent = await talk.say("hello")
    await talk.script(THINKING)
    await talk.run()
    assert "greet back" not in json.dumps(await talk.chunks(sent["turn_id"]))
    assert [part["type"] for part in await parts_of(talk)] == ["step-start", "text"]


@pytest.mark.parametrize(("reminded", "times"), [(False, 0), (True, 1)])
async def test_a_model_is_sent_its_thoughts_again_only_where_it_must_be(reminded: bool, times: int, talk: Talk) -> None:
    await catalogue(talk, reasoning="shown", reminded=reminded)
    await talk.say("hello")
    await talk.script(CALL, {"text": "Found it."})
    await talk.run()
    *_, last = await talk.requests()
    assert json.dumps(last["body"]["messages"]).count("I should look.") == times


async def test_thoughts_are_not_the_first_words_t3(talk: Talk) -> None:
    await catalogue(talk, reasoning="shown")
    sent = await talk.say("hello")
    await talk.script({"reasoning": "Hm."}, {"reasoning": "Hm."})
    await talk.run()
    turn = await talk.turn(sent["turn_id"])
    assert "firstReplyMs" not in turn["timings"]


async def test_what_is_sent_while_a_model_thinks_still_joins_t2(talk: Talk) -> None:
    await catalogue(talk, reasoning="shown")
    await talk.say("hello")
    await talk.script({"reasoning": "one two three four five six", "token_delay_ms": 100, "text": "Early."})
    await talk.script({"reasoning": "again", "text": "Both."})
    run = asyncio.create_task(talk.run())

    async def thinking() -> bool:
        return bool(await talk.rows("select 1 from reply_chunks where chunk ->> 'type' = 'reasoning-delta'"))

    await talk.until(thinking)
    await talk.say("and more")
    assert await run == 1
    assert [part.get("text") for part in await parts_of(talk) if part["type"] == "text"] == ["Both."]
    assert [part["text"] for part in await parts_of(talk) if part["type"] == "reasoning"][-1] == "again"


async def test_a_thought_cut_short_is_closed_and_the_retry_thinks_anew(talk: Talk) -> None:
    await catalogue(talk, reasoning="shown")
    sent = await talk.say("hello")
    await talk.script({"reasoning": "first thought", "error": "cut"}, THINKING)
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    starts = [chunk["id"] for chunk in chunks if chunk["type"] == "reasoning-start"]
    assert starts == [chunk["id"] for chunk in chunks if chunk["type"] == "reasoning-end"]
    assert len(set(starts)) == len(starts)


async def test_a_turn_stopped_in_mid_thought_ends_well_formed_b031(talk: Talk) -> None:
    await catalogue(talk, reasoning="shown")
    sent = await talk.say("hello")
    await talk.script({"reasoning": "a very long thought " * 20, "token_delay_ms": 50, "text": "Never."})
    run = asyncio.create_task(talk.run())

    async def thinking() -> bool:
        return bool(await talk.rows("select 1 from reply_chunks where chunk ->> 'type' = 'reasoning-delta'"))

    await talk.until(thinking)
    await talk.superuser.execute("update lanes set stop_turn_id = turn_id")
    await run
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[-3:] == ["reasoning-end", "finish-step", "abort"]
    assert [part["type"] for part in await parts_of(talk)] == ["step-start", "reasoning"]
    assert (await parts_of(talk))[1]["state"] == "done"


async def test_only_so_much_of_a_thought_is_shown(talk: Talk) -> None:
    await catalogue(talk, reasoning="shown")
    await talk.say("hello")
    await talk.script(THINKING)
    await talk.run(talk.new_engine(reasoning_chars=10))
    assert [part["text"] for part in await parts_of(talk) if part["type"] == "reasoning"] == ["They greet"]


async def test_what_may_not_leave_in_words_does_not_leave_in_thoughts_either(talk: Talk) -> None:
    await catalogue(talk, reasoning="shown", reminded=True)
    sent = await talk.say("my site is https://mine.example/p, and https://example.org/a?")
    lines = [
        "They gave https://mine.example/p to me.",
        "Their card is 4111 1111 1111 1111 and so on.",
        "The card: **4111**",
        "**1111** **1111** **1111**, as I said.",
        "Then https://evil.example/?q=1 it says.",
        "The key is sk-proj-abc123def456ghi789jkl0mn here.",
        f"End with {MARK} here.",
        "So <img src=//evil.example/x> there.",
        "Now I answer.",
    ]
    await talk.script({"reasoning": "\n".join(lines), "text": "Hello Ana."})
    await talk.run()
    [thought] = [part["text"] for part in await parts_of(talk) if part["type"] == "reasoning"]
    assert thought.split("\n") == [
        lines[0],
        f"Their card is {LEFT_OUT}",
        f"The card: **{LEFT_OUT}",
        f"Then {LEFT_OUT}",
        f"The key is {LEFT_OUT}",
        f"End with {LEFT_OUT}",
        f"So {LEFT_OUT}",
        lines[-1],
    ]
    shown = json.dumps(await talk.chunks(sent["turn_id"]))
    assert not any(secret in shown for secret in ("4111", "1111", "evil", "sk-proj", MARK, "<img"))
    assert [part["text"] for part in await parts_of(talk) if part["type"] == "text"] == ["Hello Ana."]
