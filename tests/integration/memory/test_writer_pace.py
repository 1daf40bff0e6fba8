"""How much the note writer reads at once, and what happens to it in the meantime: other writers, deletions, deaths."""

import asyncio
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.mainline.errors import MainlineError
from lanekeeper.memory import keeping
from lanekeeper.memory.writer import Written
from tests.integration.memory.conftest import Transcript, answered, note
from tests.integration.memory.test_writer import COFFEE, SISTER, asked, shown, sister_and_coffee
from tests.unit.mainline.gateway import gateway, refuse


async def test_a_long_talk_is_read_in_pieces_each_message_once(talk: Transcript) -> None:
    said = [await talk.say(f"m{number}", f"fact {number} " + "x" * 300) for number in range(10)]
    writer = talk.new_writer(notes_segment_chars=1000)
    await talk.script(*[[]] * 4)
    assert await writer.write("ana", "conv_ana") == Written(segments=4)
    read = [line["id"] for request in await talk.requests() for line in shown(request)]
    assert read == said


async def test_few_messages_at_once_are_read_until_none_is_left(talk: Transcript) -> None:
    for number in range(5):
        await talk.say(f"m{number}", f"fact {number}")
    await talk.script(*[[]] * 3)
    assert await talk.new_writer(notes_segment_messages=2).write("ana", "conv_ana") == Written(segments=3)
    assert await talk.position() == 5


async def test_a_message_that_is_longer_than_a_piece_is_read_whole_and_alone(talk: Transcript) -> None:
    await talk.say("m1", "I live in Oslo " + "x" * 3000)
    await talk.say("m2", "I like tea")
    writer = talk.new_writer(notes_segment_chars=1000)
    await talk.script([], [])
    assert await writer.write("ana", "conv_ana") == Written(segments=2)
    assert len(shown((await talk.requests())[0])[0]["text"]) == 3015


async def test_what_an_assistant_said_at_length_is_shortened(talk: Transcript) -> None:
    await talk.say("r1", "x" * 5000 + " And where do you live?", role="assistant")
    await talk.say("m1", "Oslo")
    await talk.script([])
    await talk.writer.write("ana", "conv_ana")
    line = shown((await talk.requests())[0])[0]
    assert line["text"].endswith("And where do you live?")
    assert len(line["text"]) < 500


async def test_nothing_is_read_beyond_the_last_message_that_was_named(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.script([SISTER], [COFFEE])
    assert await talk.writer.write("ana", "conv_ana", until=2) == Written(segments=1, saved=1)
    assert await talk.position() == 2
    assert await talk.writer.write("ana", "conv_ana", until=2) == Written()
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=1)


async def test_nobody_is_asked_where_the_person_wrote_nothing(talk: Transcript) -> None:
    await talk.say("r1", "Your order is on its way.", role="assistant")
    await talk.say("s1", "A colleague will call you.", role="staff")
    assert await talk.writer.write("ana", "conv_ana") == Written()
    assert await talk.writer.write("ana", "nowhere") == Written()
    assert await talk.writer.write("nobody", "conv_ana") == Written()
    assert await talk.requests() == []


async def test_what_was_forgotten_is_not_read_and_counts_as_read(talk: Transcript) -> None:
    await talk.say("m1", "My sister is called Ana", forgotten=True)
    await talk.say("r1", "Ana is a fine name.", role="assistant", forgotten=True)
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1)
    assert await talk.position() == 2
    await talk.say("m2", "I like tea")
    await talk.script([])
    await talk.writer.write("ana", "conv_ana")
    [request] = await talk.requests()
    assert "Ana" not in asked(request)


async def test_a_message_that_no_turn_has_taken_up_is_left_for_later(talk: Transcript) -> None:
    await talk.say("m1", "I like tea")
    await talk.superuser.execute(
        "insert into messages (user_id, id, conversation_id, role, parts) values ('ana', 'm2', 'conv_ana', 'user', %s)",
        [Jsonb([{"type": "text", "text": "I live in Oslo"}])],
    )
    await talk.script([])
    await talk.writer.write("ana", "conv_ana")
    assert "Oslo" not in asked((await talk.requests())[0])
    assert await talk.position() == 1


async def test_two_moments_at_once_keep_each_note_once(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    slow = answered(SISTER, COFFEE, delay_s=0.3)
    await talk.script(slow, slow)
    both = await asyncio.gather(talk.writer.write("ana", "conv_ana"), talk.new_writer().write("ana", "conv_ana"))
    assert sorted(written.saved for written in both) == [0, 2]
    assert len(await talk.rows("select from notes")) == 2


async def test_of_two_moments_in_one_process_the_second_finds_nothing_left_to_pay_for(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    slow = answered(SISTER, COFFEE, delay_s=0.3)
    await talk.script(slow, slow)
    written = await asyncio.gather(*(talk.writer.write("ana", "conv_ana") for _ in range(2)))
    assert sorted(one.segments for one in written) == [0, 1]
    assert len(await talk.requests()) == 1


async def test_a_message_that_code_acts_on_while_it_is_read_becomes_no_note(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.script(answered(SISTER, COFFEE, delay_s=0.5))
    writing = asyncio.create_task(talk.writer.write("ana", "conv_ana"))
    while not await talk.requests():
        await asyncio.sleep(0.01)
    await talk.superuser.execute("update messages set forgotten = true where id = 'm2'")
    assert await writing == Written(segments=1, saved=1)
    assert await talk.standing() == [("sister name", "My sister is called Ana")]


async def test_a_writer_that_dies_before_its_commit_leaves_nothing_and_another_keeps_it_all(
    talk: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sister_and_coffee(talk)
    await talk.script([SISTER, COFFEE], [SISTER, COFFEE])
    saves: list[str] = []

    async def dying(*arguments: Any, **options: Any) -> Any:
        saves.append("save")
        if len(saves) == 2:
            raise ConnectionError("the process is gone")
        return await save(*arguments, **options)

    save = keeping.save
    with monkeypatch.context() as patched:
        patched.setattr(keeping, "save", dying)
        with pytest.raises(ConnectionError):
            await talk.writer.write("ana", "conv_ana")
    assert await talk.rows("select from notes") == []
    assert await talk.position() is None
    assert await talk.new_writer().write("ana", "conv_ana") == Written(segments=1, saved=2)


@pytest.mark.parametrize(
    "statement", ["delete from conversations where id = 'conv_ana'", "delete from users where id = 'ana'"]
)
async def test_what_comes_after_a_deletion_is_not_kept(talk: Transcript, statement: str) -> None:
    await sister_and_coffee(talk)
    await talk.script(answered(SISTER, delay_s=0.5))
    writing = asyncio.create_task(talk.writer.write("ana", "conv_ana"))
    while not await talk.requests():
        await asyncio.sleep(0.01)
    await talk.superuser.execute(statement.encode())
    assert await writing == Written()
    assert await talk.rows("select from notes") == []
    assert await talk.rows("select from note_progress") == []


async def test_a_deletion_that_is_under_way_is_waited_for(talk: Transcript, connect_as: Any) -> None:
    await sister_and_coffee(talk)
    await talk.script([SISTER])
    accept = await connect_as("accept", user_id="ana")
    async with accept.transaction():
        await accept.execute("select 1 from lanes where user_id = 'ana' for no key update")
        await accept.execute("delete from conversations where id = 'conv_ana'")
        writing = asyncio.create_task(talk.writer.write("ana", "conv_ana"))
        while not await talk.rows("select from pg_stat_activity where wait_event_type = 'Lock'"):
            await asyncio.sleep(0.01)
    assert await writing == Written()
    assert await talk.rows("select from notes") == []


async def test_a_correction_is_not_asked_for_once_something_was_forgotten_b062(talk: Transcript) -> None:
    await talk.say("m1", "My password is hunter2 and my sister is called Ana")
    await talk.script(answered(note("The password is hunter2", "m1", "password"), delay_s=0.5), [])
    writing = asyncio.create_task(talk.writer.write("ana", "conv_ana"))
    while not await talk.requests():
        await asyncio.sleep(0.01)
    await talk.superuser.execute("update users set forgets = forgets + 1 where id = 'ana'")
    await talk.superuser.execute("update messages set forgotten = true where id = 'm1'")
    assert await writing == Written(segments=1)
    # The second request would have held the message once more.
    assert len(await talk.requests()) == 1


async def test_dates_are_those_of_the_persons_own_days(talk: Transcript) -> None:
    await talk.say("m1", "I fly tomorrow")
    await talk.superuser.execute("update messages set created_at = '2026-11-30 23:30+00'")
    days = {}
    for zone in ("Asia/Tokyo", "Nowhere/At_all"):
        await talk.superuser.execute("update users set timezone = %s", [zone])
        await talk.superuser.execute("delete from note_progress")
        await talk.script([])
        await talk.writer.write("ana", "conv_ana")
        days[zone] = shown((await talk.requests())[-1])[0]["day"]
    assert days == {"Asia/Tokyo": "Tuesday 2026-12-01", "Nowhere/At_all": "Monday 2026-11-30"}


async def test_a_note_has_the_language_in_which_its_message_was_understood(talk: Transcript) -> None:
    await talk.superuser.execute(
        "insert into turns (id, user_id, conversation_id, agent_id, reply_id) "
        "values ('t1', 'ana', 'conv_ana', 'a', 'r')"
    )
    await talk.superuser.execute(
        "insert into verdicts (turn_id, user_id, source, scores, took_ms) "
        """values ('t1', 'ana', 'gateway', '{"language": ["de", 0.97], "risk": 0.0}', 1)"""
    )
    await talk.say("m1", "Ich wohne in Oslo", turn_id="t1")
    await talk.say("m2", "I like tea")
    await talk.script([note("wohnt in Oslo", "m1", "wohnort"), note("likes tea", "m2", "tea")])
    await talk.writer.write("ana", "conv_ana")
    rows = await talk.rows("select subject, language from notes order by id")
    assert {row["subject"]: row["language"] for row in rows} == {"wohnort": "de", "tea": "en"}


@pytest.mark.parametrize(("status", "passed_over"), [(400, 1), (401, 0)])
async def test_what_a_gateway_will_not_read_is_passed_over_in_the_end_and_a_closed_door_is_not(
    talk: Transcript, status: int, passed_over: int
) -> None:
    await sister_and_coffee(talk)
    async with gateway() as served:
        writer = talk.new_writer(served.url, notes_attempts=2)
        served.plays += [refuse(status, {"error": {"code": "refused"}}), refuse(status, {"error": {"code": "refused"}})]
        with pytest.raises(MainlineError):
            await writer.write("ana", "conv_ana")
        if passed_over:
            assert await writer.write("ana", "conv_ana") == Written(passed_over=1)
        else:
            with pytest.raises(MainlineError):
                await writer.write("ana", "conv_ana")
            assert await talk.position() is None
