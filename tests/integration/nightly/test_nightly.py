"""The nightly pass covers everyone on their own local day, by the batch API, and says whom it covered (W3, B052)."""

import json

import pytest

from tests.integration.nightly.conftest import Town, nightly_timer, note


async def test_a_night_writes_notes_of_everyone_through_one_batch(town: Town) -> None:
    for name in ("ana", "ben", "cleo"):
        source = await town.says(name, f"I drink {name} coffee every morning")
        await town.answers(name, [note(f"drinks {name} coffee", source)])
    night = await town.new_nightly().run()
    assert (night.due, night.covered, night.skipped, night.failed, night.unfinished) == (3, 3, 0, 0, False)
    for name in ("ana", "ben", "cleo"):
        assert await town.notes(name) == [f"drinks {name} coffee"]
    [batch] = await town.gateway_batches()
    assert batch["request_counts"] == {"total": 3, "completed": 3, "failed": 0}
    assert await town.nights() == {"2030-05-01": (3, 0, 0)}
    assert await town.rows("select * from timers") == []


async def test_each_line_of_a_batch_is_on_the_books_of_its_person_at_half_the_price_k2(town: Town) -> None:
    for name in ("ana", "ben"):
        await town.says(name, "hello there")
        await town.answers(name, {"text": '{"notes": []}', "usage": {"prompt_tokens": 4000, "completion_tokens": 1000}})
    await town.new_nightly().run()
    costs = await town.rows("select * from costs order by user_id")
    # Small costs 0.25 and 2.00 a million: 4,000 and 1,000 tokens are 3,000 micros, in a batch half of that.
    assert [(row["user_id"], row["feature"], row["status"], row["micros"]) for row in costs] == [
        ("ana", "notes", "exact", 1500),
        ("ben", "notes", "exact", 1500),
    ]
    assert {row["turn_id"] for row in costs} == {None}


@pytest.mark.parametrize(
    ("timezone", "written_at", "night"),
    [
        ("UTC", "2030-05-01T23:59:59", "2030-05-01"),
        ("UTC", "2030-05-02T00:00:00", None),
        ("Pacific/Auckland", "2030-05-01T11:59:59", "2030-05-01"),
        ("Pacific/Auckland", "2030-05-01T12:00:00", None),
        ("America/Los_Angeles", "2030-05-01T06:59:59", "2030-04-30"),
        ("America/Los_Angeles", "2030-05-01T07:00:00", None),
        ("asia/kolkata", "2030-05-01T18:29:59", "2030-05-01"),
        ("Asia/Kolkata", "2030-05-01T18:30:00", None),
        ("Mars/Olympus", "2030-05-01T23:59:59", "2030-05-01"),
        ("'; drop table users", "2030-05-02T00:00:00", None),
        ("", "2030-05-01T23:00:00", "2030-05-01"),
    ],
)
async def test_a_persons_day_ends_at_their_own_midnight_and_a_zone_that_is_none_is_utc(
    town: Town, timezone: str, written_at: str, night: str | None
) -> None:
    await town.person("ana", timezone)
    await town.says("ana", "hello there", written_at)
    assert (await town.new_nightly().run()).covered == (night is not None)
    assert await town.states() == ({(night, "ana"): "covered"} if night else {})


@pytest.mark.parametrize(
    ("timezone", "written_at", "now", "night"),
    [
        # The nights in which an hour is missing: midnight there is 23:00Z before and 22:00Z after.
        ("Europe/Madrid", "2030-03-30T22:59:59", "2030-03-30T23:00", "2030-03-30"),
        ("Europe/Madrid", "2030-03-31T21:59:59", "2030-03-31T21:59:59", None),
        ("Europe/Madrid", "2030-03-31T21:59:59", "2030-03-31T22:00", "2030-03-31"),
        ("America/Los_Angeles", "2030-03-11T06:59:59", "2030-03-11T06:59:59", None),
        ("America/Los_Angeles", "2030-03-11T06:59:59", "2030-03-11T07:00", "2030-03-10"),
        # Those that have an hour twice.
        ("Europe/Madrid", "2030-10-27T22:59:59", "2030-10-27T22:59:59", None),
        ("Europe/Madrid", "2030-10-27T22:59:59", "2030-10-27T23:00", "2030-10-27"),
        ("America/Los_Angeles", "2030-11-04T07:59:59", "2030-11-04T08:00", "2030-11-03"),
        ("Asia/Tokyo", "2030-10-27T14:59:59", "2030-10-27T15:00", "2030-10-27"),
    ],
)
async def test_a_night_in_which_clocks_change_is_one_night(
    town: Town, timezone: str, written_at: str, now: str, night: str | None
) -> None:
    await town.at(now)
    await town.person("ana", timezone)
    await town.says("ana", "hello there", written_at)
    assert (await town.new_nightly().run()).covered == (night is not None)
    assert await town.states() == ({(night, "ana"): "covered"} if night else {})


async def test_who_writes_past_midnight_is_covered_for_the_day_that_ended(town: Town) -> None:
    await town.says("ana", "hello there", "2030-05-01T23:50")
    await town.says("ana", "still awake", "2030-05-02T00:40")
    await town.new_nightly().run()
    assert await town.states() == {("2030-05-01", "ana"): "covered"}
    assert (await town.rows("select position from note_progress"))[0]["position"] == 2


async def test_a_run_by_hand_covers_days_that_have_not_ended_and_again_what_was_written_since(town: Town) -> None:
    await town.says("ana", "hello there", "2030-05-02T00:30")
    assert (await town.new_nightly().run()).due == 0
    assert (await town.new_nightly().run(open_days=True)).covered == 1
    assert (await town.new_nightly().run(open_days=True)).due == 0
    await town.says("ana", "and one thing more", "2030-05-02T00:45")
    assert (await town.new_nightly().run(open_days=True)).covered == 1
    assert await town.nights() == {"2030-05-01": (0, 0, 0), "2030-05-02": (1, 0, 0)}


async def test_a_missed_night_is_caught_up_and_seen_b052(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    # Ana writes on both days, Ben on the first; the call about Cleo fails; Dora writes nothing.
    await town.at("2030-05-01T01:00")
    await town.new_nightly().run()
    first = await town.says("ana", "I love long walks", "2030-05-01T10:00")
    second = await town.says("ana", "my dog is called Pixel", "2030-05-02T10:00")
    await town.answers("ana", [note("loves long walks", first, "walks"), note("has a dog called Pixel", second, "dog")])
    await town.says("ben", "hello there", "2030-05-01T11:00")
    await town.says("cleo", "hello there", "2030-05-02T12:00")
    await town.answers("cleo", {"error": 500}, {"error": 503})
    await town.person("dora")
    await town.at("2030-05-03T03:00")
    capsys.readouterr()
    night = await town.new_nightly().run()
    assert (night.due, night.covered, night.skipped, night.failed) == (3, 2, 0, 1)
    assert await town.nights() == {"2030-04-30": (0, 0, 0), "2030-05-01": (1, 0, 0), "2030-05-02": (1, 0, 1)}
    assert await town.notes("ana") == ["has a dog called Pixel", "loves long walks"]
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    settled = [line for line in told if "NightlyFailed" in line]
    sums = [sum(line[f"Nightly{name}"] for line in settled) for name in ("Covered", "Skipped", "Failed")]
    assert sums == [2, 0, 1]
    [begun] = [line for line in told if "NightlyRuns" in line]
    assert begun["HoursSinceNightly"] == 50
    assert "cleo" not in json.dumps(told)
    # The next run that may try again does, and the night's numbers are put right.
    await town.at("2030-05-03T03:59")
    assert (await town.new_nightly().run()).due == 0
    await town.at("2030-05-03T04:01")
    assert (await town.new_nightly().run()).covered == 1
    assert (await town.nights())["2030-05-02"] == (2, 0, 0)


async def test_who_fails_each_time_is_tried_ever_more_seldom_and_left_alone_in_the_end(town: Town) -> None:
    await town.says("ana", "hello there")
    waited = []
    for hour in range(24):
        await town.at(f"2030-05-02T{hour:02}:30")
        await town.answers("ana", {"error": 500}, {"error": 500})
        if (await town.new_nightly(nightly_attempts=3).run()).failed:
            waited.append(hour)
    assert waited == [0, 2, 5, 10]
    # What she writes later is another night's.
    await town.answers("ana")
    await town.says("ana", "hello again", "2030-05-02T20:00")
    await town.at("2030-05-03T00:30")
    assert (await town.new_nightly(nightly_attempts=3).run()).covered == 1
    assert await town.states() == {("2030-05-01", "ana"): "failed", ("2030-05-02", "ana"): "covered"}


async def test_a_line_that_failed_is_asked_about_once_more_by_itself_and_both_are_paid_for(town: Town) -> None:
    source = await town.says("ana", "I drink oat milk")
    await town.answers("ana", {"error": 429}, [note("drinks oat milk", source)])
    assert (await town.new_nightly().run()).covered == 1
    assert await town.notes("ana") == ["drinks oat milk"]
    costs = await town.rows("select status, micros > 0 as paid from costs order by id")
    assert [(row["status"], row["paid"]) for row in costs] == [("failed", False), ("exact", True)]


async def test_who_got_no_usable_answer_is_skipped_and_told_apart_from_failed(
    town: Town, capsys: pytest.CaptureFixture[str]
) -> None:
    await town.says("ana", "hello there")
    # In the batch, put right by a call of its own; then directly, and put right once more.
    await town.answers("ana", *({"text": "I would rather talk about the weather."} for _ in range(4)))
    night = await town.new_nightly().run()
    assert (night.covered, night.skipped, night.failed) == (0, 1, 0)
    assert (await town.rows("select reason from nightly_people"))[0]["reason"] == "unreadable"
    assert '"NightlySkipped": 1' in capsys.readouterr().out
    assert len(await town.requests("ana")) == 4


async def test_notes_that_code_refuses_go_back_once_and_are_no_failure_w5(town: Town) -> None:
    source = await town.says("ana", "I moved to Oslo, and my card is 4111 1111 1111 1111")
    moved = note("moved to Oslo", source, "home")
    await town.answers("ana", [moved, note("has the card 4111 1111 1111 1111", source, "card")], [])
    assert (await town.new_nightly().run()).covered == 1
    assert await town.notes("ana") == ["moved to Oslo"]
    assert len(await town.requests("ana")) == 2


async def test_an_answer_can_only_speak_of_its_own_persons_messages_b064(town: Town) -> None:
    hers = await town.says("ana", "I keep bees on the roof")
    his = await town.says("ben", "I keep bees on the roof")
    await town.answers("ana", [note("keeps bees on the roof", his, "bees")], [])
    await town.answers("ben", [note("keeps bees on the roof", his, "bees"), note("keeps bees", hers, "roof")], [])
    await town.new_nightly().run()
    assert await town.notes("ana") == []
    assert await town.notes("ben") == ["keeps bees on the roof"]


async def test_a_night_without_anyone_has_its_row_too(town: Town) -> None:
    night = await town.new_nightly().run()
    assert (night.due, night.covered) == (0, 0)
    assert await town.nights() == {"2030-05-01": (0, 0, 0)}


async def test_what_is_kept_for_a_while_goes_at_most_once_in_twenty_hours_unless_asked_for(town: Town) -> None:
    swept = []
    for moment in ("2030-05-02T01:00", "2030-05-02T20:59", "2030-05-02T21:01"):
        await town.at(moment)
        swept.append(bool((await town.new_nightly().run()).swept))
    assert swept == [True, False, True]
    assert (await town.new_nightly().run(open_days=True)).swept != {}


async def test_a_run_without_time_leaves_the_rest_to_the_next_tick_and_nobody_is_asked_about_twice(town: Town) -> None:
    for number in range(5):
        await town.says(f"person-{number}", "hello there")
    left = iter([300.0, 300.0])
    short = town.new_nightly(lambda: next(left, 10.0), nightly_batch_people=2)
    night = await short.run()
    assert night.unfinished
    assert [row["kind"] for row in await town.rows("select kind from timers order by kind")] == [
        "batch",
        "batch",
        "nightly",
    ]
    await town.new_nightly(nightly_batch_people=2).go_on(nightly_timer())
    for row in await town.rows("select key from timers where kind = 'batch'"):
        await town.look(row["key"])
    assert set((await town.states()).values()) == {"covered"}
    assert await town.nights() == {"2030-05-01": (5, 0, 0)}
    assert [len(await town.requests(f"person-{number}")) for number in range(5)] == [1] * 5


async def test_people_who_are_asked_about_one_by_one_wait_without_a_failure_when_time_is_short(town: Town) -> None:
    for number in range(4):
        await town.says(f"person-{number}", "hello there")
    left = iter([300.0, 300.0, 300.0])
    short = town.new_nightly(lambda: next(left, 10.0), nightly_batch_least=9, batch_concurrency=1)
    night = await short.run()
    assert (night.covered, night.failed, night.unfinished) == (2, 0, True)
    assert [row["tries"] for row in await town.rows("select tries from nightly_people where state = 'waiting'")] == [
        0,
        0,
    ]
    await town.new_nightly(nightly_batch_least=9).go_on(nightly_timer())
    assert await town.nights() == {"2030-05-01": (4, 0, 0)}


async def test_a_run_takes_no_longer_than_ticks_can_wait_unless_someone_asks_by_hand(town: Town) -> None:
    await town.says("ana", "hello there")
    night = await town.new_nightly(nightly_run_s=0).run()
    assert (night.due, night.covered, night.unfinished) == (1, 0, True)
    assert (await town.new_nightly(nightly_run_s=0).run(open_days=True)).covered == 1
