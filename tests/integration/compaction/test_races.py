"""Compaction against all that may happen meanwhile: a turn, a second one, forgetting, deleting (B016)."""

import asyncio

import pytest
from psycopg.types.json import Jsonb

from lanekeeper import compaction
from lanekeeper.compaction import History, OutdatedError, Plan
from tests.integration.compaction.conftest import SMALL, Night
from tests.integration.turn.reading import is_valid_history, shown_text

SAID = ("my sister is called Ana and lives in Lisbon", "and my dog is called Rex", "what a day")
SUMMARY = "The person's sister is Ana, in Lisbon. Their dog is Rex."


async def asked(night: Night, count: int = 1, feature: str = "summary") -> None:
    """Until the model is at that many requests."""

    async def so_many() -> bool:
        return len(await night.talk.requests(feature)) >= count

    await night.talk.until(so_many)


async def planned(night: Night) -> tuple[History, Plan]:
    """A history and its plan, before anything is published."""
    history = await compaction.read(night.database, "ana", "conv_ana")
    assert history is not None
    plan = compaction.plan(history.messages, SMALL)
    assert plan is not None
    return history, plan


async def test_a_turn_that_runs_meanwhile_goes_on_as_if_nothing_was(night: Night) -> None:
    await night.chat(*SAID)
    call = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
    await night.talk.script({**call, "delay_s": 0.5}, {"text": "Owls fly at night."})
    sent = await night.talk.say("what do owls do?")
    running = asyncio.create_task(night.talk.run())
    await asked(night, 4, "chat")
    await night.script({"text": SUMMARY})
    outcome = await night.run()
    assert outcome.state == "published"
    assert not running.done()
    assert await running == 1
    assert (await night.talk.turn(sent["turn_id"]))["state"] == "done"
    assert shown_text(await night.talk.chunks(sent["turn_id"])) == ["Owls fly at night."]
    # It went on with what it had read, and what it added stands behind what was kept.
    second_step = (await night.talk.requests())[-1]["body"]["messages"]
    assert any("called Rex" in str(message["content"]) for message in second_step)
    assert "<summary>" not in str(second_step)
    rows = await night.thread()
    assert [row["message"]["type"] for row in rows] == ["human", "ai", "human", "ai", "tool", "ai"]
    assert [row["position"] for row in rows] == sorted(row["position"] for row in rows)
    await night.chat("thanks")
    last = (await night.talk.requests())[-1]["body"]["messages"]
    assert "<summary>" in last[1]["content"]
    assert is_valid_history([message for message in last if message["role"] != "system"])
    assert "called Rex" not in str(last[2:])


async def test_a_turn_whose_worker_died_is_taken_up_after_a_summary_was_published(night: Night) -> None:
    await night.chat(*SAID)
    call = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
    await night.talk.script(call, {"text": "never heard", "delay_s": 5})
    sent = await night.talk.say("what do owls do?")
    dying = asyncio.create_task(night.talk.run())
    await asked(night, 5, "chat")
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    await night.script({"text": SUMMARY})
    assert (await night.run()).state == "published"
    await night.talk.lapse()
    await night.talk.tick.run()
    await night.talk.script({"text": "Owls fly at night."})
    assert await night.talk.run(night.talk.new_engine()) == 1
    assert (await night.talk.turn(sent["turn_id"]))["state"] == "done"
    last = (await night.talk.requests())[-1]["body"]["messages"]
    assert "<summary>" in last[1]["content"]
    assert is_valid_history([message for message in last if message["role"] != "system"])


async def test_two_at_once_publish_once_and_nothing_is_lost_b016(night: Night) -> None:
    await night.chat(*SAID)
    slow = {"text": SUMMARY, "delay_s": 0.3}
    await night.script(slow, slow, {"text": SUMMARY})
    first, second = await asyncio.gather(night.run(), night.run())
    assert sorted([first.state, second.state]) == ["nothing", "published"]
    assert await night.said() == ["what a day", "All right."]
    assert (await night.summary())["version"] == 1


async def test_the_same_plan_twice_changes_nothing_the_second_time_b016(night: Night) -> None:
    await night.chat(*SAID)
    history, plan = await planned(night)
    published = await compaction.publish(night.database, history, plan, SUMMARY)
    assert published.covered == 4
    after = (await night.thread(), await night.summary())
    with pytest.raises(OutdatedError):
        await compaction.publish(night.database, history, plan, "another text")
    assert (await night.thread(), await night.summary()) == after


async def test_a_row_that_is_gone_is_no_error_and_nothing_uncovered_goes_b016(night: Night) -> None:
    await night.chat(*SAID)
    await night.talk.rows(
        "update thread_messages set message = message || '{\"id\": null}' where position = 2 returning position"
    )
    history, plan = await planned(night)
    await night.talk.rows("delete from thread_messages where position = 3 returning position")
    await night.chat("one more")
    published = await compaction.publish(night.database, history, plan, SUMMARY)
    assert published.covered == 3
    assert await night.said() == ["what a day", "All right.", "one more", "All right."]


async def test_what_was_forgotten_meanwhile_is_not_published(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"text": SUMMARY, "delay_s": 0.4}, {"text": "Their dog is Rex."})
    running = asyncio.create_task(night.run())
    await asked(night)
    await forget_the_sister(night)
    assert (await running).state == "published"
    assert (await night.summary())["body"] == "Their dog is Rex."
    assert "Lisbon" not in str((await night.talk.requests("summary"))[-1]["body"])


async def test_who_forgets_for_ever_is_tried_again_later(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"text": SUMMARY, "delay_s": 0.4}, {"text": SUMMARY, "delay_s": 0.4})
    running = asyncio.create_task(night.run())
    for number in (1, 2):
        await asked(night, number)
        await forget_the_sister(night)
    outcome = await running
    assert (outcome.state, outcome.done) == ("outdated", False)
    assert await night.summary() is None


async def forget_the_sister(night: Night) -> None:
    """As forgetting does it: under the lane's lock, the message masked, the count raised."""
    masked = Jsonb({"type": "human", "id": "masked", "content": "[forgotten]"})
    async with night.talk.superuser.transaction():
        await night.talk.rows("select 1 from lanes where user_id = 'ana' for update")
        await night.talk.rows("update users set forgets = forgets + 1 where id = 'ana' returning id")
        await night.talk.rows("update thread_messages set message = %s where position = 1 returning position", masked)


@pytest.mark.parametrize("what", ["conversations where id = 'conv_ana'", "users where id = 'ana'"])
async def test_a_summary_that_comes_after_a_deletion_writes_nothing(night: Night, what: str) -> None:
    await night.chat(*SAID)
    await night.script({"text": SUMMARY, "delay_s": 0.4})
    running = asyncio.create_task(night.run())
    await asked(night)
    await night.talk.rows(f"delete from {what} returning id")
    assert (await running).state == "gone"
    for table in ("summaries", "thread_messages", "timers"):
        assert await night.talk.rows(f"select 1 from {table}") == []
    if what.startswith("users"):
        assert await night.talk.rows("select 1 from costs where status = 'exact' and feature = 'summary'") == []


async def test_a_publish_waits_for_a_worker_that_is_writing_and_a_dead_one_leaves_all_as_it_was(night: Night) -> None:
    await night.chat(*SAID)
    history, plan = await planned(night)
    async with night.talk.superuser.transaction():
        await night.talk.rows("select 1 from lanes where user_id = 'ana' for key share")
        late = asyncio.create_task(compaction.publish(night.database, history, plan, SUMMARY))
        done, _ = await asyncio.wait({late}, timeout=0.3)
        assert not done
        late.cancel()
    await asyncio.gather(late, return_exceptions=True)
    assert len(await night.thread()) == 6
    assert await night.summary() is None


async def test_a_message_whose_worker_found_the_lane_locked_by_a_summary_is_not_left_for_the_minute(
    night: Night,
) -> None:
    await night.chat(*SAID)
    history, plan = await planned(night)
    # As it is when accept has committed and woken a worker, who passed over the locked row.
    await night.talk.say("still there?")
    published = await compaction.publish(night.database, history, plan, SUMMARY)
    assert (published.released.freed, published.released.waits) == (0, True)
    await night.talk.script({"text": "Yes."})
    assert await night.talk.run() == 1
    assert not (await compaction.release(night.database, "ana", "conv_ana")).waits
