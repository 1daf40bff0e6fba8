"""pg_cron asks each hour; the maintenance function is started when there is something to do, or by hand (P4, W3)."""

from typing import Any

import pytest

from lanekeeper.limits import Limits
from tests.conftest import ConnectAs
from tests.integration.nightly.conftest import Town


async def scheduled(town: Town) -> str:
    [job] = await town.rows("select schedule, command from cron.job where jobname = 'lanekeeper-nightly'")
    assert job["schedule"] == "0 * * * *"
    return str(job["command"])


async def started(town: Town) -> list[dict[str, Any]]:
    rows = await town.rows("delete from local_lambda.invocations returning payload")
    return [row["payload"] for row in rows]


@pytest.fixture
async def deployed(town: Town) -> Town:
    """A town whose maintenance function is known, and where old rows were removed an hour ago."""
    target = '{"function": "maintenance", "region": "local"}'
    await town.superuser.execute(
        "insert into settings (key, value, changed_by) values ('maintenance', %s, 'test')", [target]
    )
    await town.superuser.execute("update nightly_clock set swept_at = lanekeeper.now() - interval '1 hour'")
    return town


async def test_pg_cron_asks_by_the_same_numbers_by_which_the_pass_goes(town: Town) -> None:
    [row] = await town.rows("select prosrc from pg_proc where proname = 'start_maintenance'")
    limits = Limits()
    retry, sweeps = f"{limits.nightly_retry_s / 3600:g} hour", f"{limits.sweep_h:g} hours"
    assert f"nightly_is_due(interval '{retry}', {limits.nightly_attempts}, interval '{sweeps}')" in row["prosrc"]


async def test_an_hour_in_which_nobodys_day_has_ended_starts_nothing(deployed: Town) -> None:
    await deployed.says("ana", "hello there", "2030-05-02T00:30")
    await deployed.superuser.execute((await scheduled(deployed)).encode())
    assert await started(deployed) == []


async def test_somebodys_day_that_has_ended_starts_the_pass_and_once_covered_starts_it_no_more(deployed: Town) -> None:
    await deployed.says("ana", "hello there", "2030-05-01T12:00")
    await deployed.superuser.execute((await scheduled(deployed)).encode())
    assert await started(deployed) == [{"job": "nightly"}]
    await deployed.new_nightly().run()
    await deployed.superuser.execute((await scheduled(deployed)).encode())
    assert await started(deployed) == []


async def test_people_left_over_by_a_run_start_it_again(deployed: Town) -> None:
    await deployed.person("ana")
    await deployed.superuser.execute("insert into nightly_people (night, user_id) values ('2030-05-01', 'ana')")
    await deployed.superuser.execute((await scheduled(deployed)).encode())
    assert await started(deployed) == [{"job": "nightly"}]


async def test_old_rows_alone_start_it_once_in_twenty_hours_so_that_no_day_is_without_a_run_b052(
    deployed: Town,
) -> None:
    for moment, due in (("2030-05-02T19:59", []), ("2030-05-02T20:01", [{"job": "nightly"}])):
        await deployed.at(moment)
        await deployed.superuser.execute((await scheduled(deployed)).encode())
        assert await started(deployed) == due


async def test_a_run_by_hand_starts_in_any_case_and_says_so(deployed: Town) -> None:
    await deployed.superuser.execute("select lanekeeper.start_maintenance('nightly', open_days => true)")
    assert await started(deployed) == [{"job": "nightly", "open_days": True}]


async def test_the_dispatch_role_sees_who_wrote_when_and_never_what(connect_as: ConnectAs) -> None:
    superuser = await connect_as()
    for table, column in (("messages", "parts"), ("users", "name"), ("conversations", "title")):
        cursor = await superuser.execute(
            "select has_column_privilege('lanekeeper_dispatch', %s, %s, 'select') as may", [table, column]
        )
        assert not (await cursor.fetchone() or {})["may"], (table, column)
