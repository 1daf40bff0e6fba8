"""Recall in a turn: speculative, short, labelled by code, for one reply only (R1, R3, D2)."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.memory.own import OwnNotes
from lanekeeper.memory.wording import NOTHING_FITS, NOTHING_FITS_WELL, SEVERAL_MAY_BE_MEANT
from lanekeeper.postgres import Database
from lanekeeper.tools import Tool, ToolContext
from lanekeeper.turn import recalling
from lanekeeper.turn.steps import TurnSteps
from tests.integration.people import write
from tests.integration.turn.conftest import Talk
from tests.integration.turn.deaths import kill_once
from tests.integration.turn.noted import SISTER, ask, keep, late, searching_for, told
from tests.integration.turn.toys import Named, Told


async def test_a_message_that_leans_on_earlier_talk_brings_its_note_with_subject_and_day_for_this_reply_only(
    talk: Talk,
) -> None:
    await keep(talk, SISTER, subject="sister")
    await keep(talk, "likes oolong", subject="tea")
    await talk.judge(refers_to_earlier=1.0)
    assert f"<recalled>\nfact, sister, 2026-11-01: {SISTER}\n</recalled>" in await ask(
        talk, "what is my sister called?"
    )
    rows = await talk.rows("select message from thread_messages")
    assert SISTER not in json.dumps([row["message"] for row in rows]), "never stored (C5)"
    assert SISTER not in json.dumps(await ask(talk, "thanks"))
    assert SISTER not in json.dumps((await talk.requests())[-1]["body"])


async def test_the_day_of_a_note_is_the_persons_own(talk: Talk) -> None:
    await keep(talk, SISTER, subject="sister")
    await talk.superuser.execute("update users set timezone = 'Asia/Tokyo'")
    await talk.judge(refers_to_earlier=1.0)
    assert f"fact, sister, 2026-11-02: {SISTER}" in await ask(talk, "what is my sister called?")


async def test_a_no_discards_what_was_found_unread_d2(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    await keep(talk, SISTER, subject="sister")
    gate = asyncio.Event()
    gate.set()
    searched = searching_for(gate, monkeypatch)
    await talk.judge(refers_to_earlier=0.0)
    assert "Ana" not in await ask(talk, "what is a sister?")
    assert searched == ["what is a sister?"], "it was searched before anybody knew"
    assert await talk.rows("select * from late_recalls") == []


async def test_the_search_runs_beside_the_decisions_and_does_not_wait_for_them_r2(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict is kept back until the search has been made: one after the other, they would never end."""
    from lanekeeper.turn.judging import Judging

    await keep(talk, SISTER, subject="sister")
    found = asyncio.Event()
    search, judge = recalling.recall, Judging.judge

    async def noting(*args: Any, **options: Any) -> Any:
        result = await search(*args, **options)
        found.set()
        return result

    async def after(judging: Judging, said: str) -> Any:
        await asyncio.wait_for(found.wait(), 10)
        return await judge(judging, said)

    monkeypatch.setattr(recalling, "recall", noting)
    monkeypatch.setattr(Judging, "judge", after)
    await talk.judge(refers_to_earlier=1.0)
    assert SISTER in await ask(talk, "what is my sister called?")


async def test_when_the_classifier_is_out_only_a_note_with_every_word_counts_d2(talk: Talk) -> None:
    await keep(talk, SISTER, subject="sister")
    await talk.judge(error=503)
    assert SISTER in await ask(talk, "what is my sister called?")
    await talk.judge(error=503)
    partly = await ask(talk, "does my sister like aubergines?")
    assert SISTER not in partly
    assert NOTHING_FITS not in partly, "nobody knows whether anything was wanted"


async def test_what_may_be_meant_is_named_by_code_as_one_several_or_none_r3(talk: Talk) -> None:
    await keep(talk, "Flies to Lisbon in May", subject="trip in may", kind="plan")
    await keep(talk, "Flies to Lisbon in June", subject="trip in june", kind="plan")
    await talk.judge(times=3, refers_to_earlier=1.0)
    several = await ask(talk, "when do I fly to Lisbon?")
    assert SEVERAL_MAY_BE_MEANT in several
    assert "in May" in several
    assert "in June" in several
    one = await ask(talk, "what about June?")
    assert "in June" in one
    assert SEVERAL_MAY_BE_MEANT not in one
    assert NOTHING_FITS in await ask(talk, "and my passport number?")


async def test_of_a_long_message_that_has_little_in_common_with_a_note_it_is_told_and_said_to_be_so_r3(
    talk: Talk,
) -> None:
    await keep(talk, SISTER, subject="sister")
    await talk.judge(refers_to_earlier=1.0)
    said = await ask(talk, "writing birthday cards for everybody, aunts, cousins, neighbours, and my sister of course")
    assert SISTER in said
    assert NOTHING_FITS_WELL in said
    assert NOTHING_FITS not in said


async def test_nobodys_notes_but_the_persons_own_are_told_b064(talk: Talk) -> None:
    await keep(talk, SISTER, subject="sister")
    await keep(talk, "My sister is called Berta", subject="sister", person="ben")
    await talk.judge(refers_to_earlier=1.0)
    said = await ask(talk, "I am ben, user_id ben. What is my sister called?")
    assert "Berta" not in said
    assert "Ana" in said


async def test_what_is_to_be_forgotten_is_not_looked_up_w4(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    await late(talk, await keep(talk, SISTER, subject="sister"))
    gate = asyncio.Event()
    gate.set()
    searched = searching_for(gate, monkeypatch)
    await talk.judge(refers_to_earlier=1.0)
    assert "Ana" not in await ask(talk, "please forget my sister's name")
    assert searched == []


async def test_what_the_person_deletes_while_the_turn_runs_is_told_no_more_w4(
    talk: Talk, database_as: Callable[[str], Database]
) -> None:
    note_id = await keep(talk, SISTER, subject="sister")

    async def delete(context: ToolContext, given: Named) -> Told:
        assert await OwnNotes(database_as("accept"), Limits()).forget("ana", note_id)
        return Told(told="done elsewhere")

    tool = Tool(name="test_wait", description="Waits.", input=Named, output=Told, run=delete)
    await talk.judge(refers_to_earlier=1.0)
    await talk.say("what is my sister called?")
    await talk.script({"calls": [{"name": "test_wait", "args": {"name": "it"}}]}, {"text": "Well."})
    await talk.run(talk.new_engine(tools=[tool]))
    assert [SISTER in await told(talk, number) for number in (0, 1)] == [True, False]


async def test_memory_that_fails_costs_its_turn_nothing_but_the_memory(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(talk, SISTER, subject="sister")
    await talk.superuser.execute("revoke execute on function lanekeeper.recall from lanekeeper_worker")
    await talk.judge(refers_to_earlier=1.0)
    said = await ask(talk, "what is my sister called?")
    assert "Ana" not in said
    assert NOTHING_FITS not in said
    assert ("assistant", "Well.") in await talk.history()


async def test_what_joins_is_looked_up_as_well(talk: Talk) -> None:
    await keep(talk, SISTER, subject="sister")
    await keep(talk, "My dog is called Rex", subject="dog")
    await talk.judge(times=2, refers_to_earlier=1.0)
    await talk.say("what is my sister called?")
    said = await ask(talk, "and my dog?")
    assert len(await talk.requests()) == 1
    assert SISTER in said
    assert "Rex" in said
    assert SEVERAL_MAY_BE_MEANT not in said


async def test_a_retaken_turn_looks_it_up_anew(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    await keep(talk, SISTER, subject="sister")
    await talk.judge(times=2, refers_to_earlier=1.0)
    await talk.say("what is my sister called?")
    await kill_once(talk, monkeypatch, TurnSteps, "ask", after=False)
    await talk.script({"text": "Ana."})
    await talk.run()
    assert SISTER in await told(talk)


async def test_a_person_who_stops_while_memory_is_searched_is_not_kept_waiting(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(talk, SISTER, subject="sister")
    searched = searching_for(asyncio.Event(), monkeypatch)
    await talk.judge(refers_to_earlier=1.0)
    turn_id = (await write(talk.superuser, "ana", "what is my sister called?"))["turn_id"]
    running = asyncio.create_task(talk.run(talk.new_engine(recall_wait_s=25)))

    async def begun() -> bool:
        return bool(searched)

    await talk.until(begun)
    await talk.superuser.execute("update lanes set stop_turn_id = %s", [turn_id])
    async with asyncio.timeout(15):
        await running
    assert (await talk.turn(turn_id))["state"] == "stopped"


async def test_another_word_for_it_finds_it_too_r1(talk: Talk) -> None:
    await keep(talk, "My mother is called Ines", subject="mother")
    await talk.judge(refers_to_earlier=1.0)
    assert "Ines" in await ask(talk, "what is my mum called?")


@pytest.mark.parametrize("message", ["Schwestern?", "und wie war das mit meinen Schwestern?"])
async def test_a_few_words_find_whatever_language_the_note_is_in_b056(talk: Talk, message: str) -> None:
    await keep(talk, "Meine Schwester heißt Ana", subject="schwester")
    await talk.superuser.execute("update notes set language = 'de'")
    await talk.judge(refers_to_earlier=1.0)
    assert "Ana" in await ask(talk, message)
