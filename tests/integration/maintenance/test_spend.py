"""What a day costs is added up, compared with its limit, and counted once: nobody chatting ever notices (K2, E6)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.maintenance.spend import Spend
from lanekeeper.maintenance.tick import Tick
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs

DatabaseAs = Callable[[str], Database]
LIMITS = Limits(daily_spend_micros=1000, person_spend_micros=400, setting_cache_s=0)


@pytest.fixture
async def superuser(connect_as: ConnectAs) -> Any:
    return await connect_as()


async def pay(superuser: Any, user_id: str, micros: int, at: str = "lanekeeper.now()", status: str = "exact") -> None:
    await superuser.execute(
        "insert into costs (user_id, call_id, feature, model, micros, status, created_at) "
        f"values (%s, gen_random_uuid()::text, 'chat', 'small', %s, %s, {at})",
        [user_id, micros, status],
    )


async def hits(superuser: Any) -> list[tuple[str | None, str]]:
    rows = await (await superuser.execute("select user_id, kind from limit_hits order by id")).fetchall()
    return [(row["user_id"], row["kind"]) for row in rows]


async def due(superuser: Any) -> bool:
    cursor = await superuser.execute("select lanekeeper.maintenance_is_due() as due")
    return bool((await cursor.fetchone())["due"])


async def test_the_day_is_added_up_over_everybody_and_every_outcome(database_as: DatabaseAs, superuser: Any) -> None:
    await pay(superuser, "ana", 100)
    await pay(superuser, "ben", 20, status="failed")
    await pay(superuser, "ben", 3, status="estimated")
    spent = await Spend(database_as("maintenance"), LIMITS).check()
    assert (spent.micros, spent.limit_micros, spent.people_over) == (123, 1000, 0)
    assert await hits(superuser) == []


async def test_a_day_is_one_of_utc(database_as: DatabaseAs, superuser: Any) -> None:
    midnight = "date_trunc('day', lanekeeper.now(), 'UTC')"
    await pay(superuser, "ana", 1, f"{midnight} - interval '1 microsecond'")
    await pay(superuser, "ana", 10, midnight)
    await pay(superuser, "ana", 100, f"{midnight} + interval '1 day'")
    assert (await Spend(database_as("maintenance"), LIMITS).check()).micros == 10


async def test_a_limit_that_was_passed_is_counted_once_a_day(database_as: DatabaseAs, superuser: Any) -> None:
    spend = Spend(database_as("maintenance"), LIMITS)
    await pay(superuser, "ana", 1000)
    await spend.check()
    assert [kind for _, kind in await hits(superuser)] == ["person_spend"]
    await pay(superuser, "ana", 1)
    for _ in range(3):
        await spend.check()
    assert await hits(superuser) == [("ana", "person_spend"), (None, "daily_spend")]
    # The next day begins anew.
    for table, column in (("costs", "created_at"), ("limit_hits", "at"), ("spend_days", "day")):
        await superuser.execute(f"update {table} set {column} = {column} - interval '1 day'")
    await spend.check()
    assert len(await hits(superuser)) == 2
    await pay(superuser, "ben", 2000)
    await spend.check()
    assert (await hits(superuser))[2:] == [(None, "daily_spend"), ("ben", "person_spend")]


async def test_what_was_spent_after_a_days_last_check_is_found_by_the_first_check_of_the_next(
    database_as: DatabaseAs, superuser: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    spend = Spend(database_as("maintenance"), LIMITS)
    today = "date_trunc('day', lanekeeper.now(), 'UTC')"
    await pay(superuser, "ana", 300, f"{today} - interval '1 hour'")
    # As a check before midnight has left it, with what came after that.
    await superuser.execute(
        "insert into spend_days (day, micros, checked_at) "
        f"select ({today} at time zone 'UTC')::date - 1, 300, {today} - interval '30 minutes'"
    )
    await pay(superuser, "ana", 900, f"{today} - interval '1 minute'")
    await pay(superuser, "ana", 450, today)
    assert await due(superuser)
    capsys.readouterr()
    for _ in range(2):
        assert (await spend.check()).micros == 450
    cursor = await superuser.execute("select micros, over_at is not null as over from spend_days order by day")
    assert [(row["micros"], row["over"]) for row in await cursor.fetchall()] == [(1200, True), (450, False)]
    cursor = await superuser.execute(f"select kind, at < {today} as before from limit_hits order by at, kind desc")
    counted = [(row["kind"], row["before"]) for row in await cursor.fetchall()]
    assert counted == [("person_spend", True), ("daily_spend", True), ("person_spend", False)]
    shares = [json.loads(line).get("SpentOfLimit") for line in capsys.readouterr().out.splitlines()]
    assert shares == [120.0, 45.0, 45.0]


async def test_the_limit_is_a_setting_that_changes_without_a_deploy(database_as: DatabaseAs, superuser: Any) -> None:
    spend = Spend(database_as("maintenance"), LIMITS)
    await pay(superuser, "ana", 300)
    for value, over in (("299", True), ("0", False)):
        await superuser.execute("delete from limit_hits")
        await superuser.execute("delete from spend_days")
        await superuser.execute(
            "insert into settings (key, value, changed_by) values ('daily_spend_micros', %s, 'test') "
            "on conflict (key) do update set value = excluded.value",
            [value],
        )
        assert (await spend.check()).limit_micros == int(value)
        assert (await hits(superuser) != []) is over


async def test_the_alarm_reads_the_spend_and_no_person_from_the_log(
    database_as: DatabaseAs, superuser: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    await pay(superuser, "ana", 1500)
    await Spend(database_as("maintenance"), LIMITS).check()
    [line] = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert (line["SpentToday"], line["SpentOfLimit"]) == (0.0015, 150.0)
    assert "ana" not in json.dumps(line)


async def test_what_was_spent_makes_the_tick_due_until_it_was_checked(database_as: DatabaseAs, superuser: Any) -> None:
    async def wake() -> bool:
        return True

    assert not await due(superuser)
    await pay(superuser, "ana", 7)
    assert await due(superuser)
    found = await Tick(database_as("maintenance"), wake, LIMITS).run()
    assert found.spent_micros == 7
    assert not await due(superuser)
    await pay(superuser, "ana", 1)
    assert await due(superuser)


async def test_the_sum_of_a_day_finds_its_rows_by_index(superuser: Any) -> None:
    await superuser.execute(
        "insert into costs (user_id, call_id, feature, model, micros, status, created_at) "
        "select 'u' || n % 100, n::text, 'chat', 'small', 1, 'exact', lanekeeper.now() - n * interval '5 minutes' "
        "from generate_series(1, 20000) n"
    )
    await superuser.execute("analyze costs")
    cursor = await superuser.execute(
        "explain select sum(micros) from costs where created_at >= lanekeeper.now() - interval '1 day'"
    )
    plan = "\n".join(row["QUERY PLAN"] for row in await cursor.fetchall())
    assert "costs_by_time" in plan
    assert "Seq Scan" not in plan
