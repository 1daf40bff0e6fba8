"""A night that dies at any point is gone on with: nothing is lost, nothing is sent or written twice (W3)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.mainline.batches import Batches
from lanekeeper.maintenance.batch_lines import BatchLines
from lanekeeper.maintenance.coverage import Coverage
from lanekeeper.maintenance.nightly import Nightly
from lanekeeper.maintenance.note_batches import NoteBatches
from tests.devkit.mainline.errors import ApiError
from tests.integration.nightly.conftest import Town, note

PEOPLE = ("ana", "ben", "cleo")
LATER = "2030-05-02T01:10"


class DiedError(BaseException):
    """The process is gone: nothing catches this."""


def dies(at: pytest.MonkeyPatch, owner: type, step: str, when: str, call: int) -> None:
    """Let the process die before or after the step's so manieth call, once."""
    real: Callable[..., Any] = getattr(owner, step)
    calls = 0

    async def deadly(*args: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        meant = calls == call
        if meant and when == "before":
            raise DiedError
        result = await real(*args, **named)
        if meant and when == "after":
            raise DiedError
        return result

    at.setattr(owner, step, deadly)


@pytest.fixture
async def three(town: Town) -> Town:
    for name in PEOPLE:
        source = await town.says(name, f"I drink {name} coffee every morning")
        await town.answers(name, [note(f"drinks {name} coffee", source)])
    return town


async def go_on(town: Town) -> None:
    """What happens after a death: the next hour's run, and the timers of batches."""
    await town.at(LATER)
    await town.new_nightly().run()
    for row in await town.rows("select key from timers where kind = 'batch'"):
        await town.look(row["key"])
    await town.new_nightly().run()


@pytest.mark.parametrize(
    "death",
    [
        (Coverage, "enqueue", "after", 1),
        (Coverage, "claim", "after", 1),
        (BatchLines, "_lines_of", "after", 2),
        (Batches, "upload", "before", 1),
        (Batches, "upload", "after", 1),
        (Batches, "begin", "before", 1),
        (Batches, "begin", "after", 1),
        (NoteBatches, "_begun", "after", 1),
        (Batches, "look", "after", 1),
        (Batches, "answers", "after", 1),
        (BatchLines, "_take_one", "after", 1),
        (BatchLines, "take", "after", 1),
        (BatchLines, "take", "after", 3),
        (NoteBatches, "_end", "after", 1),
        (Coverage, "settle", "after", 2),
    ],
)
async def test_whatever_a_run_dies_in_the_next_one_ends_it(
    three: Town, monkeypatch: pytest.MonkeyPatch, death: tuple[type, str, str, int]
) -> None:
    with monkeypatch.context() as at:
        dies(at, *death)
        with pytest.raises(DiedError):
            await three.new_nightly().run()
    await go_on(three)
    for name in PEOPLE:
        assert await three.notes(name) == [f"drinks {name} coffee"]
        assert len(await three.rows("select * from notes where user_id = %s", name)) == 1
        # Sent once, whatever happened.
        assert len(await three.requests(name)) == 1
    assert set((await three.states()).values()) == {"covered"}
    assert (await three.nights())["2030-05-01"] == (3, 0, 0)
    paid = await three.rows("select user_id, micros from costs where status = 'exact' order by user_id")
    assert [row["user_id"] for row in paid] == list(PEOPLE)


async def test_a_batch_whose_beginning_went_unanswered_is_found_again_at_the_gateway(
    three: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = three.fake.batches.create

    def begins_and_says_nothing(*given: Any) -> Any:
        create(*given)
        raise ApiError(503, "lost", "server_error")

    with monkeypatch.context() as patched:
        patched.setattr(three.fake.batches, "create", begins_and_says_nothing)
        assert (await three.new_nightly().run()).covered == 3
    assert len(await three.gateway_batches()) == 1


async def test_a_gateway_that_takes_no_file_now_lets_everybody_be_asked_directly(
    three: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise ApiError(500, "full", "server_error")

    monkeypatch.setattr(three.fake.files, "add", full)
    assert (await three.new_nightly().run()).covered == 3
    assert await three.gateway_batches() == []


async def test_two_runs_at_once_ask_about_each_person_once(town: Town) -> None:
    for number in range(12):
        await town.says(f"person-{number}", "hello there")
    runs: list[Nightly] = [town.new_nightly(nightly_batch_people=2) for _ in range(3)]
    nights = await asyncio.gather(*(run.run() for run in runs))
    assert sum(night.covered for night in nights) == 12
    assert [len(await town.requests(f"person-{number}")) for number in range(12)] == [1] * 12
    assert await town.nights() == {"2030-05-01": (12, 0, 0)}


async def test_who_was_taken_by_a_run_that_died_waits_for_its_lease_and_not_for_a_clock_that_was_set_back(
    three: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as at:
        dies(at, Coverage, "claim", "after", 1)
        with pytest.raises(DiedError):
            await three.new_nightly().run()
    await three.at("2030-05-02T01:06")
    assert (await three.new_nightly().run()).covered == 0
    await three.at("2030-04-20T01:00")
    assert (await three.new_nightly().run()).covered == 3
