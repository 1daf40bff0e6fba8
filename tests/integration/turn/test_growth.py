"""What a turn leaves for later: its timers move, its size is known, and what has no room waits (C2, C3, C4, B070)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from lanekeeper.limits import Limits
from tests.integration.turn.conftest import Talk, text_of

FILLED = {"usage": {"prompt_tokens": 50_000, "completion_tokens": 10, "total_tokens": 50_010}}


async def timers(talk: Talk) -> dict[str, float]:
    rows = await talk.rows(
        "select kind, extract(epoch from run_at - lanekeeper.now())::float8 as in_s from timers where user_id = 'ana'"
    )
    return {row["kind"]: row["in_s"] for row in rows}


async def fill(talk: Talk) -> int:
    rows = await talk.rows("select fill_tokens from conversations where id = 'conv_ana'")
    return int(rows[0]["fill_tokens"])


async def states(talk: Talk) -> list[str]:
    return [row["state"] for row in await talk.rows("select state from inbox order by id")]


async def turn(talk: Talk, text: str = "hello", **reply: Any) -> None:
    await talk.say(text)
    await talk.script({"text": "Hello.", **reply})
    await talk.run()


async def test_c3_the_end_of_every_turn_moves_the_two_timers_of_its_conversation(talk: Talk) -> None:
    for _ in range(2):
        await turn(talk)
    assert await timers(talk) == {
        "idle_save": pytest.approx(1800, abs=5),
        "idle_compaction": pytest.approx(3300, abs=5),
    }
    (row,) = await talk.rows("select count(*) as n, min(moves) as moves from timers")
    assert (row["n"], row["moves"]) == (2, 1)


async def test_a_turn_that_fails_moves_them_as_well(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"error": 500}, {"error": 500})
    await talk.run()
    assert set(await timers(talk)) == {"idle_save", "idle_compaction"}


async def test_an_ordinary_conversation_s_size_is_not_written_down(talk: Talk) -> None:
    await turn(talk)
    assert await fill(talk) == 0


async def test_b070_the_size_is_what_the_provider_counted(talk: Talk) -> None:
    await turn(talk, usage={"prompt_tokens": 20_000, "completion_tokens": 10, "total_tokens": 20_010})
    assert await fill(talk) == 20_010
    assert "compaction" not in await timers(talk)
    # What has become small again is known to be.
    await turn(talk, usage={"prompt_tokens": 900, "completion_tokens": 10, "total_tokens": 910})
    assert await fill(talk) == 0


async def test_c2_at_four_fifths_of_the_budget_a_conversation_is_to_be_shortened_at_once(talk: Talk) -> None:
    woken: list[str] = []

    async def wake() -> None:
        woken.append("maintenance")

    engine = talk.new_engine()
    engine._wake_maintenance = wake
    await talk.say("hello")
    await talk.script({"text": "Hello.", "usage": {"prompt_tokens": 47_000, "completion_tokens": 900}})
    await talk.run(engine)
    assert woken == []
    await talk.say("and on")
    await talk.script({"text": "Hello.", "usage": {"prompt_tokens": 47_900, "completion_tokens": 200}})
    await talk.run(engine)
    assert woken == ["maintenance"]
    assert (await timers(talk))["compaction"] <= 0
    assert await fill(talk) == 48_100


async def test_b070_chinese_text_is_shortened_before_the_provider_refuses_it(talk: Talk) -> None:
    """Where no provider counts, the estimate does: a thousand such characters are more than a thousand tokens."""
    engine = talk.new_engine(context_budget_tokens=2000)
    await talk.say("请帮我看看这个" * 200)
    await talk.script({"error": 500}, {"error": 500})
    await talk.run(engine)
    assert await fill(talk) > 1600
    assert "compaction" in await timers(talk)


async def test_the_size_of_what_was_shortened_meanwhile_is_not_that_of_before(talk: Talk) -> None:
    await turn(talk, **FILLED)
    await talk.say("more")
    await talk.script({"text": "Hello.", "delay_s": 0.3, **FILLED})

    async def asked() -> bool:
        return len(await talk.requests()) == 2

    running = asyncio.create_task(talk.run())
    await talk.until(asked)
    await talk.superuser.execute("update conversations set fill_tokens = 0")
    await talk.superuser.execute(
        "insert into summaries (conversation_id, user_id, body, covers_until) values ('conv_ana', 'ana', 'Hello.', 2)"
    )
    await running
    assert await fill(talk) == 0


async def test_c4_what_has_no_room_waits_and_other_conversations_go_on(talk: Talk) -> None:
    await turn(talk, **FILLED)
    await talk.superuser.execute("delete from timers")
    await talk.say("a long one")
    await talk.superuser.execute("update inbox set tokens = 12000 where state = 'new'")
    await talk.say("and this after it")
    await talk.say("elsewhere", conversation_id="conv_other")
    await talk.script({"text": "Elsewhere."})
    await talk.run()
    assert await states(talk) == ["done", "waiting", "waiting", "done"]
    assert (await timers(talk))["compaction"] <= 0
    # Nobody takes up what waits, whoever comes by.
    await talk.superuser.execute("update lanes set ready_at = lanekeeper.now()")
    assert await talk.run() == 0
    assert await states(talk) == ["done", "waiting", "waiting", "done"]
    # What comes later waits behind it, however short it is.
    await talk.say("short")
    assert await talk.run() == 0
    assert (await states(talk))[-1] == "waiting"
    # Once there is room, all of it is answered, in order and by one turn.
    await talk.superuser.execute("update conversations set fill_tokens = 0")
    await talk.superuser.execute("update inbox set state = 'new' where state = 'waiting'")
    await talk.superuser.execute("update lanes set ready_at = lanekeeper.now()")
    await talk.script({"text": "All of it."})
    assert await talk.run() == 1
    rows = await talk.rows("select parts from messages where conversation_id = 'conv_ana' order by position")
    said = [text_of(row["parts"]) for row in rows]
    assert said == ["hello", "Hello.", "a long one", "and this after it", "short", "All of it."]


async def test_c4_what_waited_does_not_join_the_turn_that_left_it_no_room(talk: Talk) -> None:
    """The summary is published while that turn runs: it still sends all that was said before."""
    await turn(talk, **FILLED)
    await talk.say("go on")
    await talk.script({"text": "I go on.", "delay_s": 0.5, **FILLED}, {"text": "All of it."})
    running = asyncio.create_task(talk.run())

    async def asked() -> bool:
        return len(await talk.requests()) == 2

    await talk.until(asked)
    await talk.say("a long one")
    await talk.superuser.execute("update inbox set tokens = 12000 where state = 'new'")
    await talk.say("and this after it")
    await talk.superuser.execute("update conversations set fill_tokens = 0")
    await talk.superuser.execute(
        "insert into summaries (conversation_id, user_id, body, covers_until) values ('conv_ana', 'ana', 'Hello.', 2)"
    )
    await talk.superuser.execute("delete from thread_messages where position <= 2")
    assert await running == 2
    said = [text for _, text in await talk.history()]
    assert said == ["hello", "Hello.", "go on", "I go on.", "a long one", "and this after it", "All of it."]
    assert "a long one" not in str((await talk.requests())[1]["body"])


async def test_c4_a_control_never_waits(talk: Talk) -> None:
    await turn(talk, **FILLED)
    await talk.say("STOP", kind="control")
    await talk.superuser.execute("update inbox set tokens = 12000 where state = 'new'")
    assert await talk.run() == 1
    assert (await states(talk))[-1] == "done"


async def test_c4_whoever_holds_a_message_back_has_room_made(talk: Talk) -> None:
    woken: list[str] = []

    async def wake() -> None:
        woken.append("maintenance")

    await turn(talk, **FILLED)
    engine = talk.new_engine()
    engine._wake_maintenance = wake
    await talk.say("a long one")
    await talk.superuser.execute("update inbox set tokens = 12000 where state = 'new'")
    await talk.run(engine)
    assert woken == ["maintenance"]


def test_below_the_size_that_is_written_down_any_message_has_room() -> None:
    limits = Limits()
    least = limits.context_budget_tokens * limits.fill_noted_share
    assert least + 1.4 * limits.text_chars < limits.context_budget_tokens
    assert replace(limits, fill_noted_share=0.3).context_budget_tokens * 0.3 + 1.4 * limits.text_chars > 60_000
