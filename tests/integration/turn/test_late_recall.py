"""What memory finds too late for a reply goes with the next one, once, as far as it still stands (R2)."""

import asyncio

import pytest

from lanekeeper.memory.wording import FOUND_LATE
from tests.integration.turn.conftest import Talk
from tests.integration.turn.noted import SISTER, ask, keep, late, searching_for, told


async def test_a_search_that_is_late_does_not_hold_up_the_answer_and_is_told_once_with_the_next_message_r2(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(talk, SISTER, subject="sister")
    gate = asyncio.Event()
    searching_for(gate, monkeypatch)
    await talk.judge(refers_to_earlier=1.0)
    await talk.say("what is my sister called?")
    await talk.script({"text": "Let me think.", "delay_s": 2})
    running = asyncio.create_task(talk.run(talk.new_engine(recall_wait_s=0.05, provider_timeout_s=20)))

    async def asked() -> bool:
        return bool(await talk.requests())

    await talk.until(asked)
    assert "Ana" not in await told(talk)
    gate.set()
    await running
    (kept,) = await talk.rows("select conversation_id, user_id, note_ids from late_recalls")
    assert kept == {"conversation_id": "conv_ana", "user_id": "ana", "note_ids": ["note0"]}
    following = await ask(talk, "hm?")
    assert SISTER in following
    assert FOUND_LATE in following
    assert await talk.rows("select * from late_recalls") == []
    assert "Ana" not in await ask(talk, "and now?")


async def test_the_short_wait_begins_with_the_verdict_and_not_with_the_search_r2(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search of a second is long done when a verdict comes after two, however short the wait from there is."""
    await keep(talk, SISTER, subject="sister")
    gate = asyncio.Event()
    searched = searching_for(gate, monkeypatch)
    await talk.judge(refers_to_earlier=1.0, delay_s=2)
    asking = asyncio.create_task(
        ask(talk, "what is my sister called?", engine=talk.new_engine(recall_wait_s=0.001, decisions_s=20))
    )

    async def begun() -> bool:
        return bool(searched)

    await talk.until(begun)
    assert await talk.requests() == [], "the verdict is not there yet"
    gate.set()
    assert SISTER in await asking
    assert await talk.rows("select * from late_recalls") == []


async def test_a_search_that_is_not_there_by_the_turns_end_is_given_up_and_disturbs_no_other(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(talk, SISTER, subject="sister")
    gate = asyncio.Event()
    with monkeypatch.context() as patch:
        searching_for(gate, patch)
        await talk.judge(refers_to_earlier=1.0)
        impatient = talk.new_engine(recall_wait_s=0.05)
        assert "Ana" not in await ask(talk, "what is my sister called?", engine=impatient)
    assert await talk.rows("select * from late_recalls") == []
    await talk.judge(refers_to_earlier=1.0)
    assert SISTER in await ask(talk, "what is my sister called?")


async def test_a_late_note_that_was_replaced_or_has_run_out_meanwhile_is_not_told(talk: Talk) -> None:
    gone = [
        await keep(talk, "works for Acme", subject="work", replaced_by="another"),
        await keep(talk, "has a flu", subject="flu", expires_at="2020-01-01"),
        "forgotten",
    ]
    stands = await keep(talk, SISTER, subject="sister")
    await late(talk, *gone, stands)
    said = await ask(talk, "hello")
    assert SISTER in said
    assert "Acme" not in said
    assert "flu" not in said


async def test_a_late_note_goes_with_a_message_that_leans_on_earlier_talk_however_long_after(talk: Talk) -> None:
    await late(talk, await keep(talk, SISTER, subject="sister"), age_s=3600)
    assert "Ana" not in await ask(talk, "hello"), "an hour later it applies to nothing"
    assert await talk.rows("select * from late_recalls") == [], "and is read once all the same"
    await late(talk, "note0", age_s=3600)
    await talk.judge(refers_to_earlier=1.0)
    assert SISTER in await ask(talk, "and what of it?")


async def test_a_late_note_waits_for_its_own_conversation(talk: Talk) -> None:
    await late(talk, await keep(talk, SISTER, subject="sister"))
    assert "Ana" not in await ask(talk, "hello", conversation_id="another")
    assert len(await talk.rows("select * from late_recalls")) == 1
