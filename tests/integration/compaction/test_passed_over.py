"""A worker passes over a lane whose row is locked. Work in the background wakes another one for what waits then."""

import asyncio

import pytest

from lanekeeper.ledger.call import Call
from lanekeeper.limits import Limits
from lanekeeper.maintenance.in_force import OperatorSettings
from lanekeeper.maintenance.meter import BackgroundMeter
from lanekeeper.maintenance.passed_over import PassedOver
from tests.integration.compaction.conftest import Night


async def test_a_message_that_came_while_its_lane_was_locked_is_answered_without_waiting_for_the_minute(
    night: Night,
) -> None:
    woken: list[int] = []

    async def wake() -> None:
        woken.append(await night.talk.run())

    async def fail_meanwhile() -> None:
        async with PassedOver(night.database, wake).looked_after("ana"):
            await night.talk.say("hello?")
            async with night.talk.superuser.transaction():
                await night.talk.rows("select 1 from lanes where user_id = 'ana' for share")
                assert await night.talk.run() == 0
            raise RuntimeError("no notes")

    await night.talk.script({"text": "Hello."})
    with pytest.raises(RuntimeError, match="no notes"):
        await fail_meanwhile()
    assert woken == [1]
    async with PassedOver(night.database, wake).looked_after("ana"):
        pass
    assert woken == [1]


async def test_booking_a_call_in_the_background_locks_nobodys_lane(night: Night) -> None:
    await night.talk.say("hello?")
    meter = BackgroundMeter(night.database, "ana", OperatorSettings(night.database, Limits()))
    async with night.talk.superuser.transaction():
        # Held by somebody who deletes the person: the books wait for that, and then write nothing.
        await night.talk.rows("select 1 from users where id = 'ana' for update")
        call = Call(user_id="ana", turn_id=None, feature="summary", model="small", body={})
        booking = asyncio.create_task(meter.opened(call))
        done, _ = await asyncio.wait({booking}, timeout=0.3)
        assert not done
        locked = await night.talk.rows("select 1 from lanes where user_id = 'ana' for update skip locked")
        assert len(locked) == 1
    await booking
    assert [row["status"] for row in await night.talk.rows("select status from costs")] == ["estimated"]
