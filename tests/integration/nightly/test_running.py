"""The nightly pass on the running system: asked for by hand, it covers what was written a moment ago (W3)."""

import json

from tests.devkit.system import System, someone
from tests.integration.nightly.conftest import note


async def test_one_call_writes_the_notes_of_today_and_says_whom_it_covered_w3() -> None:
    async with System.launched(workers=2, zero_delay=True) as system:
        person, quiet = someone("ana"), someone("ben")
        accepted = await system.say(person, "I always drink oat milk in my coffee")
        await system.follow_to_the_end(person, accepted)
        await system.token(quiet)
        drawn = [note("drinks oat milk in coffee", accepted["messageId"], "oat milk")]
        await system.model({"text": json.dumps({"notes": drawn})}, sub=person, feature="notes")
        await system.nightly()
        rows = await system.sql("select user_id, body, source_message_id from notes")
        assert rows == [
            {"user_id": person, "body": "drinks oat milk in coffee", "source_message_id": accepted["messageId"]}
        ]
        nights = await system.sql("select covered, skipped, failed from nightly_runs where covered > 0")
        assert nights == [{"covered": 1, "skipped": 0, "failed": 0}]
        costs = await system.sql("select micros, status from costs where user_id = %s and feature = 'notes'", [person])
        assert [row["status"] for row in costs] == ["exact"]
        # Again: nobody has written anything since, so nobody is asked about.
        await system.nightly()
        assert len(await system.requests(person, "notes")) == 1


async def test_a_night_that_is_killed_over_its_batch_is_ended_by_the_ticks_and_sends_nothing_twice_w3() -> None:
    async with System.launched(workers=2, zero_delay=True) as system:
        for at in ("before_model", "after_model"):
            person = someone(at)
            accepted = await system.say(person, "I always drink oat milk in my coffee")
            await system.follow_to_the_end(person, accepted)
            drawn = [note("drinks oat milk in coffee", accepted["messageId"], "oat milk")]
            await system.model({"text": json.dumps({"notes": drawn})}, sub=person, feature="notes")
            await system.kill("maintenance", at)
            await system.nightly()
            assert await system.orders() == []
            assert await system.sql("select 1 from notes where user_id = %s", [person]) == []
            # What the dead run had taken is free again after a while.
            for _ in range(3):
                await system.advance(420)
                await system.tick()
            rows = await system.sql("select body from notes where user_id = %s", [person])
            assert rows == [{"body": "drinks oat milk in coffee"}]
            assert len(await system.requests(person, "notes")) == 1
        assert await system.sql("select sum(covered) as covered from nightly_runs") == [{"covered": 2}]
