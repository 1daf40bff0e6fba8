"""A batch that takes its time: it is looked at by a timer, and what happens meanwhile is respected (W3, B062)."""

from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.maintenance.batch_lines import BatchLines
from lanekeeper.memory.forgetting import forget
from lanekeeper.memory.rules import Note
from lanekeeper.memory.store import save
from lanekeeper.memory.writer import NoteWriter
from lanekeeper.postgres import Database
from tests.devkit.mainline.errors import ApiError
from tests.integration.nightly.conftest import Town, note

COFFEE = "I drink oat milk in my coffee"


@pytest.fixture
async def sent(town: Town) -> Town:
    """A batch about one message of Ana's, that takes the gateway an hour."""
    await town.batches_take(3600)
    source = await town.says("ana", COFFEE)
    await town.answers("ana", [note("drinks oat milk in coffee", source)])
    night = await town.new_nightly(batch_looks=1).run()
    assert (night.due, night.covered, night.unfinished) == (1, 0, False)
    assert await town.states() == {("2030-05-01", "ana"): "sent"}
    return town


async def done(town: Town) -> None:
    await town.time_passes_at_the_gateway(3601)
    await town.look()


async def test_a_batch_is_looked_at_again_by_its_timer_until_it_is_over(sent: Town) -> None:
    before = await sent.rows("select moves, run_at from timers")
    await sent.at("2030-05-02T01:05")
    await sent.look()
    after = await sent.rows("select moves, run_at from timers")
    assert after[0]["moves"] > before[0]["moves"]
    assert after[0]["run_at"] > before[0]["run_at"]
    assert await sent.notes("ana") == []
    await done(sent)
    assert await sent.notes("ana") == ["drinks oat milk in coffee"]
    assert await sent.rows("select * from timers") == []
    assert await sent.nights() == {"2030-05-01": (1, 0, 0)}


async def test_nobody_in_a_batch_is_asked_about_again_by_the_runs_that_follow(sent: Town) -> None:
    for moment in ("2030-05-02T02:00", "2030-05-03T01:00"):
        await sent.at(moment)
        await sent.says("ana", "and sugar", "2030-05-02T12:00")
        assert (await sent.new_nightly(batch_looks=0).run(open_days=True)).due == 0
    assert len(await sent.gateway_batches()) == 1
    await done(sent)
    # What she wrote meanwhile is the following night's.
    assert (await sent.new_nightly().run()).due == 1


async def test_what_the_gateway_was_given_is_removed_there_once_it_was_read(sent: Town) -> None:
    assert len(sent.fake.files.all()) == 1
    await done(sent)
    assert sent.fake.files.all() == []


async def test_a_note_saved_by_another_moment_is_not_written_twice(sent: Town) -> None:
    source = (await sent.rows("select id from messages"))[0]["id"]
    await sent.answers("ana", [note("drinks oat milk in coffee", source)], [note("drinks oat milk in coffee", source)])
    writer: NoteWriter = sent.new_nightly()._writer
    await writer.write("ana", "conv_ana")
    await done(sent)
    assert len(await sent.rows("select * from notes")) == 1
    assert await sent.states() == {("2030-05-01", "ana"): "covered"}


async def test_what_was_forgotten_while_a_batch_was_under_way_does_not_come_back_b062(
    sent: Town, database_as: Callable[[str], Database]
) -> None:
    source = (await sent.rows("select id from messages"))[0]["id"]
    fact = {"subject": "coffee", "body": "drinks oat milk in coffee", "source_message_id": source}
    remembered = Note(kind="fact", source="stated", **fact)
    worker = database_as("worker")
    async with worker.transaction(user_id="ana") as transaction:
        assert (await save(transaction, "ana", remembered, COFFEE, Limits())).id
    async with worker.transaction(user_id="ana") as transaction:
        assert (await forget(transaction, "ana", "coffee", Limits())).count == 1
    await sent.answers("ana", [])
    await done(sent)
    assert await sent.rows("select * from notes") == []
    assert await sent.states() == {("2030-05-01", "ana"): "covered"}
    # Nobody is asked about it again either.
    await sent.at("2030-05-04T01:00")
    assert (await sent.new_nightly().run(open_days=True)).due == 0


async def test_an_answer_from_before_something_was_forgotten_is_not_sent_back_to_be_corrected_b062(
    town: Town, database_as: Callable[[str], Database]
) -> None:
    await town.batches_take(3600)
    forgotten = await town.says("ana", COFFEE)
    stands = await town.says("ana", "I moved to Oslo")
    await town.answers(
        "ana", [note("drinks oat milk in coffee", "msg_of_nobody"), note("moved to Oslo", stands, "home")]
    )
    await town.new_nightly(batch_looks=1).run()
    fact = {"subject": "coffee", "body": "drinks oat milk in coffee", "source_message_id": forgotten}
    worker = database_as("worker")
    async with worker.transaction(user_id="ana") as transaction:
        assert (await save(transaction, "ana", Note(kind="fact", source="stated", **fact), COFFEE, Limits())).id
    async with worker.transaction(user_id="ana") as transaction:
        assert (await forget(transaction, "ana", "coffee", Limits())).count == 1
    await town.answers("ana", [note("moved to Oslo", stands, "home")])
    await done(town)
    await town.new_nightly().run()
    first, *later = await town.requests("ana")
    assert "oat milk" in str(first["body"])
    assert later
    assert "oat milk" not in str([request["body"] for request in later])
    assert await town.notes("ana") == ["moved to Oslo"]
    assert await town.states() == {("2030-05-01", "ana"): "covered"}


@pytest.mark.parametrize("what", ["users", "conversations"])
async def test_nothing_is_written_of_who_was_deleted_meanwhile(sent: Town, what: str) -> None:
    await sent.superuser.execute("delete from costs")
    await sent.superuser.execute(f"delete from {what}".encode())
    await done(sent)
    for table in ("notes", "note_progress", "batch_lines", "costs"):
        assert await sent.rows(f"select * from {table}") == [], table
    assert [row["state"] for row in await sent.rows("select state from batches")] == ["read"]
    assert await sent.states() == ({} if what == "users" else {("2030-05-01", "ana"): "covered"})


async def test_a_batch_that_is_never_done_is_given_up_after_a_day_and_asked_about_directly(sent: Town) -> None:
    source = (await sent.rows("select id from messages"))[0]["id"]
    await sent.answers("ana")
    await sent.answers("ana", [note("drinks oat milk in coffee", source)])
    await sent.at("2030-05-03T03:01")
    await sent.look()
    assert [batch["status"] for batch in await sent.gateway_batches()] == ["cancelled"]
    assert sent.fake.files.all() == []
    [row] = await sent.rows("select kind from timers")
    assert row["kind"] == "nightly"
    await sent.new_nightly().run()
    assert await sent.notes("ana") == ["drinks oat milk in coffee"]


async def test_a_batch_that_the_gateway_has_lost_is_asked_about_directly(sent: Town) -> None:
    sent.fake.batches.clear()
    await sent.look()
    assert await sent.states() == {("2030-05-01", "ana"): "waiting"}
    assert (await sent.new_nightly().run()).covered == 1
    assert await sent.notes("ana") == ["drinks oat milk in coffee"]


async def test_a_gateway_that_is_away_when_a_batch_is_looked_at_loses_nothing(
    sent: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise ApiError(503, "away", "server_error")

    with monkeypatch.context() as patched:
        patched.setattr(sent.fake.batches, "get", away)
        await sent.look()
    assert await sent.states() == {("2030-05-01", "ana"): "sent"}
    await done(sent)
    assert await sent.notes("ana") == ["drinks oat milk in coffee"]


async def test_a_batch_is_taken_by_one_at_a_time_also_after_the_clock_was_set_back(sent: Town) -> None:
    await sent.time_passes_at_the_gateway(3601)
    [row] = await sent.rows("update batches set claimed_until = lanekeeper.now() + interval '1 minute' returning id")
    await sent.look(row["id"])
    assert await sent.notes("ana") == []
    # Whoever is at it may die: it is looked at again in any case.
    assert [timer["kind"] for timer in await sent.rows("select kind from timers where run_at > lanekeeper.now()")] == [
        "batch"
    ]
    await sent.superuser.execute("update batches set claimed_until = lanekeeper.now() + interval '30 hours'")
    await sent.look(row["id"])
    assert await sent.notes("ana") == ["drinks oat milk in coffee"]


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_gateway_without_batches_is_asked_directly_at_its_full_price(
    town: Town, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    def none(*_: Any) -> None:
        raise ApiError(status, "no such thing", "not_found")

    monkeypatch.setattr(town.fake.files, "add", none)
    for name in ("ana", "ben"):
        source = await town.says(name, COFFEE)
        await town.answers(name, [note("drinks oat milk in coffee", source)])
    assert (await town.new_nightly().run()).covered == 2
    assert await town.notes("ben") == ["drinks oat milk in coffee"]
    assert {row["state"] for row in await town.rows("select state from batches")} == {"lost"}
    paid = await town.rows("select user_id, status from costs where micros > 0 order by user_id")
    assert [(row["user_id"], row["status"]) for row in paid] == [("ana", "exact"), ("ben", "exact")]
    # What was never begun is not owed, not even as an estimate.
    assert await town.rows("select * from costs where status = 'estimated'") == []


async def test_few_people_are_asked_about_directly_where_that_is_wanted(town: Town) -> None:
    await town.says("ana", COFFEE)
    assert (await town.new_nightly(nightly_batch_least=2).run()).covered == 1
    assert await town.gateway_batches() == []


async def test_a_long_conversation_is_read_to_its_end_stretch_by_stretch(town: Town) -> None:
    for number in range(7):
        await town.says("ana", f"message {number} " + "x" * 300)
    assert (await town.new_nightly(notes_segment_chars=700).run()).covered == 1
    assert (await town.rows("select position from note_progress"))[0]["position"] == 7
    assert len(await town.requests("ana")) == 4
    assert len(await town.gateway_batches()) == 4


async def test_a_file_that_would_be_too_large_becomes_several_batches(town: Town) -> None:
    for number in range(6):
        await town.says(f"person-{number}", "x" * 1000)
    await town.new_nightly(nightly_batch_bytes=1).run()
    counts = [batch["request_counts"]["total"] for batch in await town.gateway_batches()]
    assert counts == [1] * 6
    assert await town.nights() == {"2030-05-01": (6, 0, 0)}


async def test_every_conversation_of_a_person_has_its_line(town: Town) -> None:
    for talk in ("one", "two"):
        source = await town.says("ana", f"I like {talk} apples", talk=talk)
        await town.answers("ana", [note(f"likes {talk} apples", source, f"{talk} apples")])
    await town.new_nightly().run()
    assert await town.notes("ana") == ["likes one apples", "likes two apples"]
    assert await town.nights() == {"2030-05-01": (1, 0, 0)}


@pytest.mark.parametrize("owner", [BatchLines, NoteWriter])
async def test_what_goes_wrong_about_one_person_keeps_nobody_else_from_being_covered(
    town: Town, monkeypatch: pytest.MonkeyPatch, owner: type
) -> None:
    step = "_lines_of" if owner is BatchLines else "take"
    real = getattr(owner, step)

    async def breaks(self: Any, *given: Any) -> Any:
        if "ben" in (getattr(given[0], "user_id", ""), getattr(given[-1], "user_id", "")):
            raise RuntimeError("nobody thought of this")
        return await real(self, *given)

    monkeypatch.setattr(owner, step, breaks)
    for name in ("ana", "ben", "cleo"):
        source = await town.says(name, COFFEE)
        await town.answers(name, *[[note("drinks oat milk in coffee", source)]] * 2)
    # Ben's second try is a direct one, and that goes well.
    assert (await town.new_nightly().run()).covered == 3
    for name in ("ana", "ben", "cleo"):
        assert await town.notes(name) == ["drinks oat milk in coffee"]
