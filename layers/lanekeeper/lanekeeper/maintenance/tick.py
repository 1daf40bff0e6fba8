"""The tick: finds what died or was lost, and puts it back on its road."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from lanekeeper.limits import Limits
from lanekeeper.maintenance.due_timers import Acted, DueTimers
from lanekeeper.maintenance.spend import Spend
from lanekeeper.postgres import Database, Statements
from lanekeeper.timers import compact_soon
from lanekeeper.types import Json

SQL = Statements.beside(__file__)

Wake = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Found:
    """What one tick found, in counts."""

    lapsed: int
    armed: int
    waiting: int
    woken: int
    spent_micros: int
    timers: int
    timers_failed: int

    def as_json(self) -> Json:
        """For the log and the invocation's answer."""
        return asdict(self)


class Tick:
    """One run of the minute's work. Safe to run twice at once, and to die at any point: each step stands alone.

    Args:
        database: a connection of the maintenance role.
        wake: starts one worker; False when that failed.
        limits: what counts as lost.
        timers: works on the timers that are due. None: they are left alone.
    """

    def __init__(self, database: Database, wake: Wake, limits: Limits, timers: DueTimers | None = None) -> None:
        self._database = database
        self._wake = wake
        self._timers = timers
        self._limits = limits
        self._spend = Spend(database, limits)

    async def run(self, seconds_left: Callable[[], float] = lambda: math.inf) -> Found:
        """Do the minute's work.

        Args:
            seconds_left: of this invocation.
        """
        lapsed = await self._revoke_lapsed()
        armed = await self._arm_forgotten()
        async with self._database.transaction() as transaction:
            row = await transaction.row(
                SQL["waiting_lanes"], {"older_s": 0 if lapsed or armed else self._limits.lost_wake_s}
            )
            waiting = int(row["waiting"]) if row else 0
        woken = 0
        for _ in range(min(waiting, self._limits.wakes_per_tick)):
            woken += await self._wake()
        spent = await self._spend.check()
        # Last: it may take minutes, and whoever waits for help gets it first.
        await self._time_waiting()
        acted = await self._timers.run(seconds_left) if self._timers else Acted()
        return Found(lapsed, armed, waiting, woken, spent.micros, acted.done, acted.failed)

    async def _time_waiting(self) -> None:
        """See to it that for each message that waits for a summary one is to be made."""
        async with self._database.transaction() as transaction:
            strays = await transaction.rows(SQL["stray_waiting"])
        for stray in strays:
            async with self._database.transaction(user_id=stray["user_id"]) as transaction:
                compact_soon(transaction, stray["user_id"], stray["conversation_id"], pressing=True)

    async def _revoke_lapsed(self) -> int:
        """Take lanes from holders that gave no sign of life: first their connections, then the lane."""
        lease = {"lease_s": self._limits.lease_s}
        async with self._database.transaction() as transaction:
            lapsed = await transaction.rows(SQL["lapsed_lanes"], lease)
        for lane in lapsed:
            async with self._database.transaction() as transaction:
                await transaction.row(SQL["end_connections"], {"holder": lane["holder"]})
            await self._database.at_once(
                SQL["lock_lane"],
                SQL["revoke_lane"],
                user_id=lane["user_id"],
                parameters={**lease, "epoch": lane["epoch"]},
            )
        return len(lapsed)

    async def _arm_forgotten(self) -> int:
        """Arm lanes with an undelivered reply or a stray message; the worker that claims them does the rest."""
        async with self._database.transaction() as transaction:
            people = await transaction.rows(SQL["people_to_wake"], {"older_s": self._limits.lost_wake_s})
        for person in people:
            async with self._database.transaction(user_id=person["user_id"]) as transaction:
                await transaction.run(SQL["arm_lane"], {"user_id": person["user_id"]})
        return len(people)
