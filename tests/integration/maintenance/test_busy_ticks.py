"""A tick that is still busy with one thing keeps nobody else from what was set meanwhile (P4, C4)."""

import asyncio
from collections.abc import Callable

from lanekeeper.maintenance.due_timers import Acted
from lanekeeper.timers import COMPACTION, IDLE_SAVE, Timer
from lanekeeper.timers.store import BUSY_S
from tests.integration.maintenance.test_timers import LIMITS, Ticks, ticks

__all__ = ["ticks"]


class Busy:
    """Acts on saves for as long as it is told to, and on all else at once."""

    def __init__(self, ticks: Ticks) -> None:
        self.over = asyncio.Event()
        self.ticks = ticks

    async def act(self, timer: Timer) -> None:
        self.ticks.acted.append(f"{timer.kind} {timer.key}")
        if timer.kind == IDLE_SAVE:
            await self.over.wait()


async def busy_with_a_save(ticks: Ticks) -> tuple[Busy, "asyncio.Task[Acted]"]:
    """A tick that has done a compaction and is still at a save."""
    busy = Busy(ticks)
    due = ticks.due()
    due._actions = {IDLE_SAVE: busy.act, COMPACTION: busy.act}
    await ticks.set(IDLE_SAVE, "conv_ana")
    await ticks.set(COMPACTION, "conv_ana")
    claim, found_none = due._next, asyncio.Semaphore(0)

    async def noted(seconds_left: Callable[[], float]) -> Timer | None:
        timer = await claim(seconds_left)
        if timer is None:
            found_none.release()
        return timer

    setattr(due, "_next", noted)  # noqa: B010 - it is a method
    running = asyncio.create_task(due.run(lambda: 300))
    # Once while both are acted on, and once when the compaction is done: from then on it waits for the save alone.
    for _ in range(2):
        await found_none.acquire()
    return busy, running


async def test_what_is_set_anew_is_acted_on_by_another_tick_though_the_busy_one_holds_its_lock(ticks: Ticks) -> None:
    busy, running = await busy_with_a_save(ticks)
    ticks.acted.clear()
    await ticks.set(COMPACTION, "conv_ana")
    await ticks.set(COMPACTION, "conv_ana")
    assert (await ticks.run()).done == 1
    assert ticks.acted == ["compaction conv_ana"]
    busy.over.set()
    assert (await running).done == 2
    assert await ticks.rows() == []


async def test_what_cannot_be_locked_is_given_back_for_a_moment_and_not_for_a_whole_claim(ticks: Ticks) -> None:
    busy, running = await busy_with_a_save(ticks)
    ticks.acted.clear()
    # The clock passes the claim of the save that is still being made.
    await ticks.move_clock(600)
    assert await ticks.run() == Acted()
    [row] = await ticks.rows()
    cursor = await ticks.superuser.execute(
        "select extract(epoch from claimed_until - lanekeeper.now())::float8 as s from timers"
    )
    [left] = await cursor.fetchall()
    assert (row["attempts"], ticks.acted) == (1, [])
    assert 0 < left["s"] <= BUSY_S
    busy.over.set()
    assert (await running).done == 2
    assert await ticks.rows() == []


async def test_a_few_are_acted_on_side_by_side(ticks: Ticks) -> None:
    ticks.slow = asyncio.Event()
    for number in range(6):
        await ticks.set("batch", f"b{number}")
    running = asyncio.create_task(ticks.run())
    while len(ticks.acted) < LIMITS.timers_at_once:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert len(ticks.acted) == LIMITS.timers_at_once
    ticks.slow.set()
    assert (await running).done == 6
