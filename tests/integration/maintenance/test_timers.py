"""Each timer that is due is acted on once for each time it was set (C3, P4, B050)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from lanekeeper.limits import Limits
from lanekeeper.maintenance.due_timers import Acted, DueTimers
from lanekeeper.maintenance.tick import Tick
from lanekeeper.postgres import Database
from lanekeeper.timers import COMPACTION, IDLE_SAVE, Claims, Timer, compact_soon, quiet_from_now, set_timer
from tests.conftest import ConnectAs
from tests.integration.people import write

DatabaseAs = Callable[[str], Database]
LIMITS = Limits()


@dataclass
class Ticks:
    """One person's conversation, the ticks of two functions, and what they did."""

    superuser: psycopg.AsyncConnection[dict[str, Any]]
    worker: Database
    database_as: DatabaseAs
    acted: list[str] = field(default_factory=list)
    slow: asyncio.Event | None = None
    failing: bool = False

    async def act(self, timer: Timer) -> None:
        self.acted.append(f"{timer.kind} {timer.key}")
        if self.slow is not None:
            await self.slow.wait()
        if self.failing:
            raise RuntimeError("a secret of the person's")

    def due(self, *kinds: str, limits: Limits = LIMITS) -> DueTimers:
        """What one function does with timers: each on connections of its own."""
        claims = Claims(self.database_as("maintenance"), self.database_as("maintenance"), limits)
        return DueTimers(claims, dict.fromkeys(kinds or (IDLE_SAVE, COMPACTION, "batch"), self.act), limits)

    async def run(self, due: DueTimers | None = None) -> Acted:
        return await (due or self.due()).run(lambda: 300)

    async def set(self, kind: str, key: str, in_s: float = 0, user_id: str | None = "ana") -> None:
        if user_id is None:
            async with self.database_as("maintenance").transaction() as transaction:
                set_timer(transaction, kind, key, in_s=in_s)
            return
        async with self.worker.transaction(user_id=user_id) as transaction:
            set_timer(transaction, kind, key, in_s=in_s, user_id=user_id, conversation_id="conv_ana")

    async def rows(self) -> list[dict[str, Any]]:
        cursor = await self.superuser.execute(
            "select kind, key, user_id, attempts, moves, claimed_until, "
            "extract(epoch from run_at - lanekeeper.now())::float8 as in_s from timers order by kind, key"
        )
        return await cursor.fetchall()

    async def move_clock(self, seconds: float) -> None:
        """Be that far ahead from now on."""
        await self.superuser.execute(
            "create or replace function lanekeeper.now() returns timestamptz language sql stable parallel safe "
            f"as $$ select clock_timestamp() + interval '{seconds} seconds' $$".encode()
        )

    async def is_due(self) -> bool:
        cursor = await self.superuser.execute("select lanekeeper.maintenance_is_due() as due")
        row = await cursor.fetchone()
        return bool(row and row["due"])


@pytest.fixture
async def ticks(connect_as: ConnectAs, database_as: DatabaseAs) -> Ticks:
    superuser: Any = await connect_as()
    ticks = Ticks(superuser, database_as("worker"), database_as)
    await write(superuser, "ana", "hello")
    await superuser.execute("update inbox set state = 'done'")
    await superuser.execute("update lanes set ready_at = null")
    return ticks


async def test_what_is_due_is_acted_on_and_gone_and_what_is_not_stays(ticks: Ticks) -> None:
    await ticks.set(IDLE_SAVE, "conv_ana")
    await ticks.set(COMPACTION, "conv_ana", in_s=60)
    assert await ticks.is_due()
    assert await ticks.run() == Acted(done=1, failed=0)
    assert ticks.acted == ["idle_save conv_ana"]
    assert [row["kind"] for row in await ticks.rows()] == [COMPACTION]
    assert not await ticks.is_due()
    assert await ticks.run() == Acted()


async def test_setting_a_timer_again_moves_it(ticks: Ticks) -> None:
    for _ in range(3):
        async with ticks.worker.transaction(user_id="ana") as transaction:
            quiet_from_now(transaction, "ana", "conv_ana", LIMITS)
    rows = await ticks.rows()
    assert [(row["kind"], row["moves"]) for row in rows] == [("idle_compaction", 2), ("idle_save", 2)]
    assert [round(row["in_s"]) for row in rows] == [3300, 1800]


async def test_b050_of_two_ticks_at_once_each_timer_is_one_s_alone(ticks: Ticks) -> None:
    for number in range(20):
        await ticks.set("batch", f"b{number}")
    results = await asyncio.gather(*(ticks.run() for _ in range(3)))
    assert sum(result.done for result in results) == 20
    assert sorted(ticks.acted) == sorted(f"batch b{number}" for number in range(20))
    assert await ticks.rows() == []


async def test_b050_a_tick_beside_a_slow_one_returns_at_once_and_repeats_nothing(ticks: Ticks) -> None:
    ticks.slow = asyncio.Event()
    await ticks.set(COMPACTION, "conv_ana")
    first = asyncio.create_task(ticks.run())
    while not ticks.acted:
        await asyncio.sleep(0.01)
    for _ in range(5):
        assert await ticks.run() == Acted()
    ticks.slow.set()
    assert (await first).done == 1
    assert ticks.acted == ["compaction conv_ana"]


async def test_b050_a_clock_that_jumps_past_a_claim_gives_the_timer_to_nobody_else(ticks: Ticks) -> None:
    ticks.slow = asyncio.Event()
    await ticks.set(COMPACTION, "conv_ana")
    first = asyncio.create_task(ticks.run())
    while not ticks.acted:
        await asyncio.sleep(0.01)
    await ticks.move_clock(3600)
    assert await ticks.run() == Acted()
    await ticks.move_clock(-3600)
    assert await ticks.run() == Acted()
    ticks.slow.set()
    assert (await first).done == 1
    assert ticks.acted == ["compaction conv_ana"]
    assert await ticks.rows() == []


async def test_a_clock_set_forward_makes_due_what_it_passes_once(ticks: Ticks) -> None:
    await ticks.set(IDLE_SAVE, "conv_ana", in_s=1800)
    await ticks.move_clock(1799)
    assert await ticks.run() == Acted()
    await ticks.move_clock(7200)
    assert await ticks.run() == Acted(done=1)
    await ticks.move_clock(0)
    assert await ticks.run() == Acted()
    assert ticks.acted == ["idle_save conv_ana"]


async def test_what_a_dead_tick_had_claimed_is_taken_up_when_its_claim_has_lapsed(ticks: Ticks) -> None:
    await ticks.set(COMPACTION, "conv_ana")
    claims = Claims(ticks.database_as("maintenance"), ticks.database_as("maintenance"), LIMITS)
    claimed = await claims.next()  # and there it dies
    assert claimed is not None
    assert await ticks.run() == Acted()
    assert not await ticks.is_due()
    await ticks.move_clock(LIMITS.timer_lease_s - 1)
    assert await ticks.run() == Acted()
    await ticks.move_clock(LIMITS.timer_lease_s + 1)
    assert await ticks.is_due()
    assert await ticks.run() == Acted(done=1)


async def test_a_claim_from_before_the_clock_was_set_back_holds_nobody_up(ticks: Ticks) -> None:
    await ticks.set(COMPACTION, "conv_ana")
    await ticks.move_clock(86_400)
    claims = Claims(ticks.database_as("maintenance"), ticks.database_as("maintenance"), LIMITS)
    assert await claims.next() is not None
    await ticks.move_clock(0)
    assert await ticks.run() == Acted(done=1)


async def test_a_timer_that_moves_while_it_is_acted_on_stays_and_is_acted_on_again(ticks: Ticks) -> None:
    ticks.slow = asyncio.Event()
    await ticks.set(IDLE_SAVE, "conv_ana")
    running = asyncio.create_task(ticks.run())
    while not ticks.acted:
        await asyncio.sleep(0.01)
    await ticks.set(IDLE_SAVE, "conv_ana", in_s=1800)
    ticks.slow.set()
    assert (await running).done == 1
    (row,) = await ticks.rows()
    assert (round(row["in_s"]), row["claimed_until"], row["attempts"]) == (1800, None, 0)
    await ticks.move_clock(1801)
    await ticks.run()
    assert len(ticks.acted) == 2


async def test_a_failed_timer_is_put_off_for_longer_each_time_and_says_nothing_of_its_person(
    ticks: Ticks, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    ticks.failing = True
    await ticks.set(IDLE_SAVE, "conv_ana")
    ahead = 0.0
    for wait in (60, 120, 240, 480, 960, 1800, 1800):
        assert await ticks.run() == Acted(failed=1)
        (row,) = await ticks.rows()
        assert row["in_s"] == pytest.approx(wait, abs=5)
        assert await ticks.run() == Acted()
        ahead += wait + 1
        await ticks.move_clock(ahead)
    ticks.failing = False
    assert await ticks.run() == Acted(done=1)
    assert '"FailedTimers": 1' in capsys.readouterr().out
    assert "a timer failed: idle_save" in caplog.text
    assert "secret" not in caplog.text
    assert "conv_ana" not in caplog.text


async def test_a_conversations_timer_that_never_stops_failing_is_left_alone_in_the_end_and_a_jobs_is_not(
    ticks: Ticks,
) -> None:
    ticks.failing = True
    await ticks.set(IDLE_SAVE, "conv_ana")
    await ticks.set("batch", "batch_1", user_id=None)
    for tries in range(1, 6):
        await ticks.run(ticks.due(limits=Limits(timer_attempts=3)))
        await ticks.move_clock(3600 * tries)
    assert ticks.acted.count("idle_save conv_ana") == 3
    assert ticks.acted.count("batch batch_1") == 5
    assert [row["kind"] for row in await ticks.rows()] == ["batch"]


async def test_a_kind_that_nobody_knows_is_put_off_and_counted(ticks: Ticks) -> None:
    await ticks.set("juggle", "conv_ana")
    await ticks.set(IDLE_SAVE, "conv_ana")
    assert await ticks.run() == Acted(done=1, failed=1)
    (row,) = await ticks.rows()
    assert (row["kind"], row["attempts"]) == ("juggle", 1)
    assert row["in_s"] == pytest.approx(60, abs=5)


async def test_what_is_nobodys_is_acted_on_as_well(ticks: Ticks) -> None:
    await ticks.set("batch", "b1", user_id=None)
    assert await ticks.run() == Acted(done=1)
    assert await ticks.rows() == []


async def test_nothing_is_begun_when_the_time_is_short(ticks: Ticks) -> None:
    await ticks.set("batch", "b1")
    assert await ticks.due().run(lambda: LIMITS.timers_reserve_s) == Acted()
    (row,) = await ticks.rows()
    assert row["attempts"] == 0
    # Nor is one more begun when it becomes short on the way.
    await ticks.set("batch", "b2")
    left = iter([300.0, *[10.0] * 9])
    assert await ticks.due().run(lambda: next(left)) == Acted(done=1)


async def test_what_somebody_may_wait_for_comes_before_what_has_been_due_for_longer(ticks: Ticks) -> None:
    for number in range(5):
        await ticks.set("batch", f"b{number}", in_s=-3600)
    await ticks.set(COMPACTION, "conv_ana")
    await ticks.run(ticks.due(limits=Limits(timers_at_once=1)))
    assert ticks.acted[0] == "compaction conv_ana"


async def test_while_a_message_is_open_its_person_is_not_quiet(ticks: Ticks) -> None:
    await ticks.set(IDLE_SAVE, "conv_ana")
    for state in ("new", "running"):
        await ticks.superuser.execute("update inbox set state = %s", [state])
        await ticks.superuser.execute("update lanes set ready_at = lanekeeper.now()")
        assert await ticks.run() == Acted()
    await ticks.set(COMPACTION, "conv_ana")
    assert await ticks.run() == Acted(done=1)
    await ticks.superuser.execute("update inbox set state = 'done'")
    assert await ticks.run() == Acted(done=1)
    assert ticks.acted == ["compaction conv_ana", "idle_save conv_ana"]


async def test_a_failed_summary_keeps_its_place_in_time_unless_somebody_waits(ticks: Ticks) -> None:
    ticks.failing = True
    for _ in range(2):
        async with ticks.worker.transaction(user_id="ana") as transaction:
            compact_soon(transaction, "ana", "conv_ana")
        await ticks.run()
    (row,) = await ticks.rows()
    assert row["attempts"] == 1
    assert row["in_s"] == pytest.approx(60, abs=5)
    async with ticks.worker.transaction(user_id="ana") as transaction:
        compact_soon(transaction, "ana", "conv_ana", pressing=True)
    await ticks.superuser.execute("update inbox set state = 'waiting'")
    for attempts in (2, 3, 4):
        await ticks.superuser.execute("update timers set run_at = lanekeeper.now()")
        assert await ticks.run() == Acted(failed=1)
        (row,) = await ticks.rows()
        assert row["attempts"] == attempts
        assert row["in_s"] == pytest.approx(60, abs=5)


async def test_timers_go_with_their_conversation(ticks: Ticks) -> None:
    await ticks.set(IDLE_SAVE, "conv_ana")
    ticks.slow = asyncio.Event()
    running = asyncio.create_task(ticks.run())
    while not ticks.acted:
        await asyncio.sleep(0.01)
    await ticks.superuser.execute("delete from users")
    ticks.slow.set()
    assert (await running).done == 1
    assert await ticks.rows() == []


async def test_a_tick_finds_what_waits_without_a_timer(ticks: Ticks) -> None:
    async def wake() -> bool:
        return True

    await ticks.superuser.execute("update inbox set state = 'waiting'")
    assert await ticks.is_due()
    found = await Tick(ticks.database_as("maintenance"), wake, LIMITS, ticks.due()).run()
    assert (found.timers, found.timers_failed) == (1, 0)
    assert ticks.acted == ["compaction conv_ana"]


async def test_of_many_timers_those_that_are_due_are_found_by_index(ticks: Ticks) -> None:
    await ticks.superuser.execute(
        "insert into timers (kind, key, user_id, run_at) "
        "select 'idle_save', n::text, 'u' || n, lanekeeper.now() + interval '1 hour' from generate_series(1, 20000) n"
    )
    await ticks.superuser.execute("analyze timers")
    for function in ("claim_timer", "timers_are_due"):
        cursor = await ticks.superuser.execute("select prosrc from pg_proc where proname = %s", [function])
        row = await cursor.fetchone()
        assert row is not None
        source = row["prosrc"].replace("claim_timer.lease", "interval '300 s'")
        cursor = await ticks.superuser.execute(b"explain " + source.encode())
        plan = "\n".join(line["QUERY PLAN"] for line in await cursor.fetchall())
        assert "Seq Scan on timers" not in plan, plan
