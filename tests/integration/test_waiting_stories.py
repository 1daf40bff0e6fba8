"""A conversation outgrows its budget on the running system: nobody notices more than a line (C2, C3, C4, P4)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.devkit.system import System, SystemProcess, someone

# So small that a few turns fill it.
SMALL = {
    "LIMIT_CONTEXT_BUDGET_TOKENS": "6000",
    "LIMIT_COMPACTION_KEPT_TOKENS": "300",
    "LIMIT_COMPACTION_KEPT_TURNS": "1",
    "LIMIT_TIMER_RETRY_S": "1",
}
LONG = "word and more words, " * 40


@pytest.fixture(scope="module")
def small_process() -> Iterator[SystemProcess]:
    process = SystemProcess(SMALL, workers=2, zero_delay=True)
    yield process
    process.stop()


@pytest.fixture
async def small(small_process: SystemProcess) -> AsyncIterator[System]:
    async with System(**small_process.ready) as running:
        yield running
        await running.recall()


async def grow(system: System, person: str, tokens: int, text: str = LONG) -> str:
    """A conversation whose last answer was counted as so many tokens."""
    usage = {"prompt_tokens": tokens - 10, "completion_tokens": 10, "total_tokens": tokens}
    conversation: dict[str, Any] = {}
    for _ in range(3):
        await system.model({"text": "I see.", "usage": usage}, sub=person)
        accepted = await system.say(person, text, **conversation)
        conversation = {"conversationId": accepted["conversationId"]}
        await system.follow_to_the_end(person, accepted)
    return str(accepted["conversationId"])


async def timers(system: System, person: str) -> list[str]:
    rows = await system.sql("select kind from timers where user_id = %s order by kind", [person])
    return [row["kind"] for row in rows]


async def summaries(system: System, person: str) -> list[dict[str, Any]]:
    return await system.sql("select body, version from summaries where user_id = %s", [person])


async def until(condition: Any, seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.05)


async def test_c2_a_conversation_that_has_grown_is_shortened_without_waiting_for_the_minute(small: System) -> None:
    person = someone("ana")
    await small.model({"text": "The person greets."}, {"text": "The person greets."}, sub=person, feature="summary")
    await grow(small, person, 5000)

    async def shortened() -> bool:
        return bool(await summaries(small, person))

    await until(shortened)
    await small.quiet()
    assert await timers(small, person) == ["idle_compaction", "idle_save"]
    [row] = await small.sql("select fill_tokens from conversations where user_id = %s", [person])
    assert row["fill_tokens"] == 0
    # Its person sees all that was said.
    [conversation] = await small.sql("select id from conversations where user_id = %s", [person])
    assert len(await small.transcript(person, conversation["id"])) == 6


async def test_c4_what_has_no_room_waits_is_told_so_and_runs_when_the_summary_is_there(small: System) -> None:
    person = someone("ben")
    conversation = await grow(small, person, 4700)
    await small.model({"text": "They spoke of words.", "delay_s": 1.5}, sub=person, feature="summary")
    accepted = await small.say(person, "and now " + LONG * 8, conversationId=conversation)
    assert accepted["state"] == "waiting"
    reply = await asyncio.wait_for(small.follow(person, accepted), 30)
    assert reply.types[0] == "data-status"
    assert reply.types.count("data-status") == 1
    assert reply.ended
    assert reply.text
    assert [row["body"] for row in await summaries(small, person)] == ["They spoke of words."]
    states = await small.sql("select state from inbox where user_id = %s order by id", [person])
    assert {row["state"] for row in states} == {"done"}


async def test_c4_what_waits_outlives_the_tick_that_dies_over_it_and_is_answered_once(small: System) -> None:
    person = someone("cleo")
    conversation = await grow(small, person, 4700)
    await small.kill("maintenance", "claimed")
    accepted = await small.say(person, "and now " + LONG * 8, conversationId=conversation)
    assert accepted["state"] == "waiting"

    async def killed() -> bool:
        return not await small.orders()

    await until(killed)
    # Nobody else takes it up while the dead one's claim lasts.
    await small.tick()
    assert not await summaries(small, person)
    await small.advance(301)
    try:
        await small.tick()
        reply = await asyncio.wait_for(small.follow_to_the_end(person, accepted), 30)
    finally:
        await small.advance(-301)
    assert reply.ended
    assert len(await summaries(small, person)) == 1
    sent = await small.requests(person)
    assert sum("and now word" in str(request["body"]["messages"][-2:]) for request in sent) == 1


@pytest.mark.parametrize("how", ["kill", "freeze"])
async def test_b050_a_tick_that_is_lost_when_all_was_done_has_nothing_done_again(small: System, how: str) -> None:
    person = someone("finn")
    conversation = await grow(small, person, 900)
    # What others have left behind is not to be what is lost.
    await small.quiet()
    await small.sql("delete from timers where user_id <> %s", [person])
    await small.kill("maintenance", "before_commit", how)
    await small.model({"text": "I see.", "usage": {"prompt_tokens": 5000, "completion_tokens": 10}}, sub=person)
    await small.follow_to_the_end(person, await small.say(person, LONG, conversationId=conversation))

    async def lost() -> bool:
        return not await small.orders()

    await until(lost)
    assert [row["version"] for row in await summaries(small, person)] == [1]
    assert "compaction" in await timers(small, person)
    await small.recall()
    await small.advance(301)
    try:
        await small.tick()
        await small.quiet()
    finally:
        await small.advance(-301)
    assert [row["version"] for row in await summaries(small, person)] == [1]
    assert len(await small.requests(person, feature="summary")) == 1
    assert await timers(small, person) == ["idle_compaction", "idle_save"]


async def test_c4_nobody_waits_for_ever_for_a_summary_that_cannot_be_made(small: System) -> None:
    person = someone("dora")
    conversation = await grow(small, person, 4700)
    await small.model(*[{"error": 500}] * 40, sub=person, feature="summary")
    accepted = await small.say(person, "and now " + LONG * 8, conversationId=conversation)
    assert accepted["state"] == "waiting"
    following = asyncio.create_task(small.follow_to_the_end(person, accepted))
    for _ in range(12):
        await small.tick()
        await small.quiet()
        if following.done():
            break
        await asyncio.sleep(1.1)
    assert (await asyncio.wait_for(following, 30)).ended
    hits = await small.sql("select kind from limit_hits where user_id = %s and kind = 'ceiling'", [person])
    assert len(hits) == 1
    await small.model(sub=person, feature="summary")


async def test_b050_ticks_upon_ticks_and_jumps_of_the_clock_make_each_save_and_summary_once(small: System) -> None:
    person = someone("eva")
    await grow(small, person, 900)
    await small.model({"text": "They spoke of words.", "delay_s": 1}, sub=person, feature="summary")
    await small.advance(3301)
    try:
        ticks = [asyncio.create_task(small.tick()) for _ in range(3)]
        await asyncio.sleep(0.5)
        await small.advance(3600)
        await small.tick()
        await small.advance(-3600)
        await asyncio.gather(*ticks)
        await small.quiet()
        await small.tick()
    finally:
        await small.advance(-3301)
    assert len(await small.requests(person, feature="summary")) == 1
    assert [row["version"] for row in await summaries(small, person)] == [1]
    assert await timers(small, person) == []
