"""One ordered lane a person: claims, the lock, the fence (T1)."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from lanekeeper.errors import LaneLostError, LanesLockedError
from lanekeeper.lane import LaneLock
from lanekeeper.limits import Limits
from lanekeeper.maintenance.tick import Tick
from lanekeeper.postgres import Database
from lanekeeper.turn.intake import Claim, Intake
from tests.integration.people import write

Databases = Callable[[str], Database]


class Worker:
    """One worker's connections and its intake, without the model."""

    def __init__(self, database_as: Databases, holder: str) -> None:
        self.work = database_as("worker", holder)  # type: ignore[call-arg]
        self.lock = LaneLock(database_as("worker", holder))  # type: ignore[call-arg]
        self.intake = Intake(self.work, self.lock, holder, Limits())

    async def claim(self) -> Claim | None:
        return await self.intake.claim()

    async def finish(self, claim: Claim) -> None:
        assert claim.turn is not None
        async with claim.hold.transaction(self.work) as transaction:
            await transaction.run(
                "update inbox set state = 'done' where turn_id = %(id)s and state = 'running'", {"id": claim.turn.id}
            )
        await claim.hold.release(self.work)
        await self.lock.drop()


@pytest.fixture
async def worker(url_as: Callable[[str], str]) -> AsyncIterator[Callable[[str], Worker]]:
    async with AsyncExitStack() as stack:

        def database_as(role: str, name: str) -> Database:
            database = Database(lambda: {"conninfo": url_as(role)}, name)
            stack.push_async_callback(database.close)
            return database

        yield lambda holder: Worker(database_as, holder)  # type: ignore[arg-type]


@pytest.fixture
def tick(database_as: Databases) -> Tick:
    async def wake() -> bool:
        return True

    return Tick(database_as("maintenance"), wake, Limits())


async def lane(superuser: Any, user_id: str) -> dict[str, Any]:
    cursor = await superuser.execute("select * from lanes where user_id = %s", [user_id])
    return await cursor.fetchone()


async def lapse(superuser: Any, user_id: str) -> None:
    await superuser.execute(
        "update lanes set lease_until = lanekeeper.now() - interval '1 second' where user_id = %s", [user_id]
    )


async def test_b002_two_workers_at_once_never_get_two_messages_of_one_person(connect_as, worker) -> None:
    superuser = await connect_as()
    first = await write(superuser, "ana", "one")
    second = await write(superuser, "ana", "two", conversation_id="conv_other")
    third = await write(superuser, "ben", "three")
    one, two, three = worker("w1"), worker("w2"), worker("w3")

    claims = [await one.claim(), await two.claim(), await three.claim()]

    turns = [claim.turn.id for claim in claims if claim and claim.turn]
    assert turns == [first["turn_id"], third["turn_id"]]
    assert claims[2] is None
    await one.finish(claims[0])
    again = await three.claim()
    assert again is not None
    assert again.turn is not None
    assert again.turn.id == second["turn_id"]


async def test_a_lane_whose_row_is_being_written_is_told_of_and_claimed_right_after(connect_as, worker) -> None:
    superuser, writer = await connect_as(), await connect_as()
    sent = await write(superuser, "ana", "one")
    one = worker("w1")

    async with writer.transaction():
        await writer.execute("select 1 from lanes where user_id = 'ana' for update")
        with pytest.raises(LanesLockedError):
            await one.claim()

    claim = await one.claim()
    assert claim is not None
    assert claim.turn is not None
    assert claim.turn.id == sent["turn_id"]
    assert await worker("w2").claim() is None


async def test_b004_the_lane_lock_is_held_for_the_whole_turn_and_free_right_after(connect_as, worker) -> None:
    superuser = await connect_as()
    await write(superuser, "ana", "one")
    one = worker("w1")
    claim = await one.claim()

    async def is_free() -> bool:
        cursor = await superuser.execute("select pg_try_advisory_xact_lock(1, lanekeeper.lane_key('ana')) as free")
        return bool((await cursor.fetchone())["free"])

    assert not await is_free()
    async with claim.hold.transaction(one.work):
        assert not await is_free()
    assert not await is_free()
    await one.finish(claim)
    assert await is_free()
    await write(superuser, "ana", "two")
    assert (await one.claim()).turn is not None


async def test_a_lane_whose_lock_another_still_has_is_put_off_and_stays_armed(connect_as, worker) -> None:
    superuser = await connect_as()
    ids = await write(superuser, "ana", "one")
    async with superuser.transaction():
        await superuser.execute("select pg_advisory_xact_lock(1, lanekeeper.lane_key('ana'))")
        claim = await worker("w1").claim()
    assert claim is not None
    assert claim.turn is None
    row = await lane(superuser, "ana")
    assert row["holder"] is None
    assert row["ready_at"] is not None
    cursor = await superuser.execute("select state, turn_id from inbox")
    assert await cursor.fetchall() == [{"state": "new", "turn_id": ids["turn_id"]}]


async def test_a_worker_that_lost_its_lane_cannot_write(connect_as, worker, tick) -> None:
    superuser = await connect_as()
    await write(superuser, "ana", "one")
    one = worker("w1")
    claim = await one.claim()
    await lapse(superuser, "ana")
    await tick.run()

    with pytest.raises(LaneLostError):
        async with claim.hold.transaction(one.work) as transaction:
            await transaction.run("update conversations set title = 'stolen' where user_id = 'ana'")
    cursor = await superuser.execute("select title from conversations where user_id = 'ana'")
    assert await cursor.fetchone() == {"title": "A talk"}


async def test_b046_a_lapsed_lane_is_taken_from_its_holder_and_claimed_again(connect_as, worker, tick) -> None:
    superuser = await connect_as()
    ids = await write(superuser, "ana", "one")
    one, two = worker("w1"), worker("w2")
    first = await one.claim()
    assert await two.claim() is None
    await lapse(superuser, "ana")

    found = await tick.run()
    assert (found.lapsed, found.woken) == (1, 1)
    again = await two.claim()

    assert again is not None
    assert again.turn is not None
    assert (again.turn.id, again.turn.attempt) == (ids["turn_id"], 2)
    assert again.hold.epoch > first.hold.epoch
    # The dead holder's connections are gone, its lock with them.
    cursor = await superuser.execute("select count(*) as n from pg_stat_activity where application_name = 'w1'")
    assert (await cursor.fetchone())["n"] == 0


async def test_b044_no_second_run_while_the_lease_is_live(connect_as, worker, tick) -> None:
    superuser = await connect_as()
    await write(superuser, "ana", "one")
    await worker("w1").claim()
    found = await tick.run()
    assert found.lapsed == 0
    assert await worker("w2").claim() is None


async def test_two_ticks_at_once_take_a_lapsed_lane_once(connect_as, worker, tick) -> None:
    superuser = await connect_as()
    await write(superuser, "ana", "one")
    claim = await worker("w1").claim()
    await lapse(superuser, "ana")
    await tick.run()
    await tick.run()
    assert (await lane(superuser, "ana"))["epoch"] == claim.hold.epoch + 1


async def test_one_persons_flood_delays_nobody_else(connect_as, worker) -> None:
    superuser = await connect_as()
    for number in range(5):
        await write(superuser, "flood", f"message {number}", conversation_id=f"conv_{number}")
    await write(superuser, "ben", "hello")
    one = worker("w1")
    order = []
    while claim := await one.claim():
        order.append(claim.hold.user_id)
        await one.finish(claim)
    assert order == ["flood", "ben", "flood", "flood", "flood", "flood"]


async def test_a_stray_message_whose_lane_does_not_know_it_is_found_by_the_tick(connect_as, worker, tick) -> None:
    superuser = await connect_as()
    ids = await write(superuser, "ana", "one")
    await superuser.execute("update lanes set ready_at = null")
    await superuser.execute("update inbox set created_at = created_at - interval '1 minute'")
    assert await worker("w1").claim() is None
    found = await tick.run()
    assert (found.armed, found.woken) == (1, 1)
    claim = await worker("w1").claim()
    assert claim.turn.id == ids["turn_id"]


async def test_a_lost_wake_is_made_up_for_by_the_tick(connect_as, tick) -> None:
    superuser = await connect_as()
    await write(superuser, "ana", "one")
    assert (await tick.run()).woken == 0
    await superuser.execute("update lanes set ready_at = ready_at - interval '1 minute'")
    assert (await tick.run()).woken == 1


@pytest.mark.parametrize("table", ["inbox", "turns", "messages", "conversations", "lanes"])
async def test_a_worker_sees_nothing_of_anyone_before_it_claims(connect_as, table: str) -> None:
    superuser = await connect_as()
    await write(superuser, "ana", "one")
    worker = await connect_as("worker")
    cursor = await worker.execute(f"select count(*) as n from {table}")
    assert (await cursor.fetchone())["n"] == 0
