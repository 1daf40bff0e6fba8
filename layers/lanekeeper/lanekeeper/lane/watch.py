"""Looks after a hold while its turn runs: signs of life, a lost lane, a wish to stop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from lanekeeper import clock
from lanekeeper.errors import DatabaseUnreachableError, LaneLostError
from lanekeeper.lane.hold import Hold
from lanekeeper.lane.store import SQL
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database


class Watch:
    """Ends a turn's task from outside when its lane is lost or its person wants it to stop.

    Args:
        database: a connection that the turn's own work does not block.
        limits: how often to look and to renew.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits

    @asynccontextmanager
    async def over(self, hold: Hold, turn_id: str) -> AsyncIterator["Watched"]:
        """Watch the running task until the block ends.

        Raises:
            LaneLostError: the lane was taken away; nothing more may be written.
        """
        task = asyncio.current_task()
        assert task is not None
        watched = Watched(task)
        watcher = asyncio.create_task(self._watch(hold, turn_id, watched))
        try:
            yield watched
        except asyncio.CancelledError:
            if watched.lost:
                task.uncancel()
                raise LaneLostError from None
            raise
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher

    async def _watch(self, hold: Hold, turn_id: str, watched: "Watched") -> None:
        last_sign = clock.monotonic()
        while True:
            await asyncio.sleep(self._limits.watch_s)
            renew = clock.monotonic() - last_sign >= self._limits.heartbeat_s
            parameters = {**hold.key, "lease_s": self._limits.lease_s}
            try:
                (rows,) = await self._database.at_once(
                    SQL["renew_lease" if renew else "look"], user_id=hold.user_id, parameters=parameters, durable=False
                )
            except DatabaseUnreachableError:
                # Without the database nobody else can take the lane either; the next write will tell.
                continue
            if renew:
                last_sign = clock.monotonic()
            if not rows:
                watched.lose()
                return
            if rows[0]["stop_turn_id"] == turn_id:
                watched.stop()


class Watched:
    """What the watch has seen."""

    def __init__(self, task: "asyncio.Task[object]") -> None:
        self._task = task
        self._stopping: asyncio.Event = asyncio.Event()
        self.lost = False

    @property
    def stopping(self) -> bool:
        """Whether the person asked to stop."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Note the person's wish."""
        self._stopping.set()

    async def until_stopped(self) -> None:
        """Wait for the person's wish to stop."""
        await self._stopping.wait()

    def lose(self) -> None:
        """Note that the lane is gone and interrupt the turn."""
        self.lost = True
        self._task.cancel()
