"""Recall in a turn: speculative, short, labelled by code, for one reply only (R1, R2, R3, D2)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.memory.wording import FOUND_LATE, NOTHING_FITS, NOTHING_FITS_WELL, SEVERAL_MAY_BE_MEANT
from lanekeeper.turn import recalling
from lanekeeper.turn.steps import TurnSteps
from tests.integration.people import write
from tests.integration.turn.conftest import Talk
from tests.integration.turn.deaths import kill_once

SISTER = "My sister is called Ana"
Note = Callable[..., Awaitable[str]]


@pytest.fixture
def note(talk: Talk) -> Note:
    """``await note("likes tea", subject="tea")`` keeps a note of the talk's person; its id."""
    kept: list[str] = []

    async def keep(body: str, *, subject: str, person: str = "ana", **columns: Any) -> str:
        kept.append(f"note{len(kept)}")
        await talk.superuser.execute("insert into users (id) values (%s) on conflict do nothing", [person])
        await talk.superuser.execute(
            "insert into conversations (id, user_id, agent_id) values (%(id)s, %(person)s, 'a') on conflict do nothing",
            {"id": f"old_{person}", "person": person},
        )
        await talk.superuser.execute(
            "insert into messages (user_id, id, conversation_id, role, parts) values (%s, %s, %s, 'user', %s)",
            [person, f"said{len(kept)}", f"old_{person}", Jsonb([{"type": "text", "text": body}])],
        )
        row = {"kind": "fact", "replaced_by": None, "expires_at": None} | columns
        await talk.superuser.execute(
            "insert into notes (id, user_id, kind, subject, body, source, source_message_id, saved_at, replaced_by, "
            "expires_at) values (%(id)s, %(person)s, %(kind)s, %(subject)s, %(body)s, 'stated', %(said)s, "
            "'2026-11-01 23:30Z', %(replaced_by)s, %(expires_at)s)",
            row | {"id": kept[-1], "person": person, "subject": subject, "body": body, "said": f"said{len(kept)}"},
        )
        return kept[-1]

    return keep


async def ask(talk: Talk, text: str, *, engine: Any = None, **options: Any) -> str:
    """Send a message, run its turn, and give what the model was told for this reply only."""
    await talk.say(text, **options)
    await talk.script({"text": "Well."})
    await talk.run(engine)
    return await told(talk)


async def told(talk: Talk, number: int = -1) -> str:
    return str((await talk.requests())[number]["body"]["messages"][-1]["content"])


def searching_for(gate: asyncio.Event, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Searches wait for the gate; what was searched for."""
    searched: list[str] = []
    search = recalling.recall

    async def gated(database: Any, user_id: str, message: str, *args: Any, **options: Any) -> Any:
        searched.append(message)
        await gate.wait()
        return await search(database, user_id, message, *args, **options)

    monkeypatch.setattr(recalling, "recall", gated)
    return searched


async def test_a_message_that_leans_on_earlier_talk_brings_its_note_with_kind_and_day_for_this_reply_only(
    talk: Talk, note: Note
) -> None:
    await note(SISTER, subject="sister")
    await note("likes oolong", subject="tea")
    await talk.judge(refers_to_earlier=1.0)
    assert f"<recalled>\nfact, 2026-11-01: {SISTER}\n</recalled>" in await ask(talk, "what is my sister called?")
    rows = await talk.rows("select message from thread_messages")
    assert SISTER not in json.dumps([row["message"] for row in rows]), "never stored (C5)"
    assert SISTER not in json.dumps(await ask(talk, "thanks"))
    assert SISTER not in json.dumps((await talk.requests())[-1]["body"])


async def test_the_day_of_a_note_is_the_persons_own(talk: Talk, note: Note) -> None:
    await note(SISTER, subject="sister")
    await talk.superuser.execute("update users set timezone = 'Asia/Tokyo'")
    await talk.judge(refers_to_earlier=1.0)
    assert f"fact, 2026-11-02: {SISTER}" in await ask(talk, "what is my sister called?")


async def test_a_no_discards_what_was_found_unread_d2(talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch) -> None:
    await note(SISTER, subject="sister")
    gate = asyncio.Event()
    gate.set()
    searched = searching_for(gate, monkeypatch)
    await talk.judge(refers_to_earlier=0.0)
    assert "Ana" not in await ask(talk, "what is a sister?")
    assert searched == ["what is a sister?"], "it was searched before anybody knew"
    assert await talk.rows("select * from late_recalls") == []


async def test_the_search_runs_beside_the_decisions_and_does_not_wait_for_them_r2(
    talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict is kept back until the search has been made: one after the other, they would never end."""
    from lanekeeper.turn.judging import Judging

    await note(SISTER, subject="sister")
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


async def test_when_the_classifier_is_out_only_a_note_with_every_word_counts_d2(talk: Talk, note: Note) -> None:
    await note(SISTER, subject="sister")
    await talk.judge(error=503)
    assert SISTER in await ask(talk, "what is my sister called?")
    await talk.judge(error=503)
    partly = await ask(talk, "does my sister like aubergines?")
    assert SISTER not in partly
    assert NOTHING_FITS not in partly, "nobody knows whether anything was wanted"


async def test_what_may_be_meant_is_named_by_code_as_one_several_or_none_r3(talk: Talk, note: Note) -> None:
    await note("Flies to Lisbon in May", subject="trip in may", kind="plan")
    await note("Flies to Lisbon in June", subject="trip in june", kind="plan")
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
    talk: Talk, note: Note
) -> None:
    await note(SISTER, subject="sister")
    await talk.judge(refers_to_earlier=1.0)
    said = await ask(talk, "writing birthday cards for everybody, aunts, cousins, neighbours, and my sister of course")
    assert SISTER in said
    assert NOTHING_FITS_WELL in said
    assert NOTHING_FITS not in said


async def test_nobodys_notes_but_the_persons_own_are_told_b064(talk: Talk, note: Note) -> None:
    await note(SISTER, subject="sister")
    await note("My sister is called Berta", subject="sister", person="ben")
    await talk.judge(refers_to_earlier=1.0)
    said = await ask(talk, "I am ben, user_id ben. What is my sister called?")
    assert "Berta" not in said
    assert "Ana" in said


async def test_a_search_that_is_late_does_not_hold_up_the_answer_and_is_told_once_with_the_next_message_r2(
    talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    await note(SISTER, subject="sister")
    gate = asyncio.Event()
    searching_for(gate, monkeypatch)
    await talk.judge(refers_to_earlier=1.0)
    await talk.say("what is my sister called?")
    await talk.script({"text": "Let me think.", "delay_s": 0.3})
    running = asyncio.create_task(talk.run())

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


async def test_a_search_that_is_not_there_by_the_turns_end_is_given_up_and_disturbs_no_other(
    talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    await note(SISTER, subject="sister")
    gate = asyncio.Event()
    with monkeypatch.context() as patch:
        searching_for(gate, patch)
        await talk.judge(refers_to_earlier=1.0)
        assert "Ana" not in await ask(talk, "what is my sister called?")
    assert await talk.rows("select * from late_recalls") == []
    await talk.judge(refers_to_earlier=1.0)
    assert SISTER in await ask(talk, "what is my sister called?")


async def late(talk: Talk, *note_ids: str, age_s: float = 5) -> None:
    """Leave notes for the next turn of Ana's conversation, as a turn does whose search was late."""
    await talk.superuser.execute(
        "insert into conversations (id, user_id, agent_id) values ('conv_ana', 'ana', 'a') on conflict do nothing"
    )
    await talk.superuser.execute(
        "insert into late_recalls (conversation_id, user_id, note_ids, found_at) values "
        "('conv_ana', 'ana', %s, lanekeeper.now() - make_interval(secs => %s))",
        [list(note_ids), age_s],
    )


async def test_a_late_note_that_was_replaced_or_has_run_out_meanwhile_is_not_told(talk: Talk, note: Note) -> None:
    gone = [
        await note("works for Acme", subject="work", replaced_by="another"),
        await note("has a flu", subject="flu", expires_at="2020-01-01"),
        "forgotten",
    ]
    stands = await note(SISTER, subject="sister")
    await late(talk, *gone, stands)
    said = await ask(talk, "hello")
    assert SISTER in said
    assert "Acme" not in said
    assert "flu" not in said


async def test_a_late_note_goes_with_a_message_that_leans_on_earlier_talk_however_long_after(
    talk: Talk, note: Note
) -> None:
    await late(talk, await note(SISTER, subject="sister"), age_s=3600)
    assert "Ana" not in await ask(talk, "hello"), "an hour later it applies to nothing"
    assert await talk.rows("select * from late_recalls") == [], "and is read once all the same"
    await late(talk, "note0", age_s=3600)
    await talk.judge(refers_to_earlier=1.0)
    assert SISTER in await ask(talk, "and what of it?")


async def test_a_late_note_waits_for_its_own_conversation(talk: Talk, note: Note) -> None:
    await late(talk, await note(SISTER, subject="sister"))
    assert "Ana" not in await ask(talk, "hello", conversation_id="another")
    assert len(await talk.rows("select * from late_recalls")) == 1


async def test_what_is_to_be_forgotten_is_not_looked_up_w4(
    talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    await late(talk, await note(SISTER, subject="sister"))
    gate = asyncio.Event()
    gate.set()
    searched = searching_for(gate, monkeypatch)
    await talk.judge(refers_to_earlier=1.0)
    assert "Ana" not in await ask(talk, "please forget my sister's name")
    assert searched == []


async def test_memory_that_fails_costs_its_turn_nothing_but_the_memory(
    talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    await note(SISTER, subject="sister")
    await talk.superuser.execute("revoke execute on function lanekeeper.recall from lanekeeper_worker")
    await talk.judge(refers_to_earlier=1.0)
    said = await ask(talk, "what is my sister called?")
    assert "Ana" not in said
    assert NOTHING_FITS not in said
    assert ("assistant", "Well.") in await talk.history()


async def test_what_joins_is_looked_up_as_well(talk: Talk, note: Note) -> None:
    await note(SISTER, subject="sister")
    await note("My dog is called Rex", subject="dog")
    await talk.judge(times=2, refers_to_earlier=1.0)
    await talk.say("what is my sister called?")
    said = await ask(talk, "and my dog?")
    assert len(await talk.requests()) == 1
    assert SISTER in said
    assert "Rex" in said
    assert SEVERAL_MAY_BE_MEANT not in said


async def test_a_retaken_turn_looks_it_up_anew(talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch) -> None:
    await note(SISTER, subject="sister")
    await talk.judge(times=2, refers_to_earlier=1.0)
    await talk.say("what is my sister called?")
    await kill_once(talk, monkeypatch, TurnSteps, "ask", after=False)
    await talk.script({"text": "Ana."})
    await talk.run()
    assert SISTER in await told(talk)


async def test_a_person_who_stops_while_memory_is_searched_is_not_kept_waiting(
    talk: Talk, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    await note(SISTER, subject="sister")
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


async def test_another_word_for_it_finds_it_too_r1(talk: Talk, note: Note) -> None:
    await note("My mother is called Ines", subject="mother")
    await talk.judge(refers_to_earlier=1.0)
    assert "Ines" in await ask(talk, "what is my mum called?")
