"""What pg_cron would start: the jobs that the migrations have made, run when asked and once each real minute."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import psycopg

from tests.devkit.clock import Clock
from tests.devkit.invocations import Invocations

logger = logging.getLogger("devkit.schedule")

EVERY_MINUTE = "* * * * *"
NIGHTLY = "select lanekeeper.start_maintenance('nightly')"
NIGHTLY_BY_HAND = "select lanekeeper.start_maintenance('nightly', open_days => true)"


class Schedule:
    """Runs the jobs of ``cron.job`` as the roles that own them.

    Args:
        connection: a superuser's, in autocommit, that nobody else uses.
        real: the true pg_cron runs them each minute; here they only run when asked.
    """

    def __init__(
        self, connection: psycopg.AsyncConnection[Any], invocations: Invocations, clock: Clock, *, real: bool
    ) -> None:
        self._connection = connection
        self._invocations = invocations
        self._clock = clock
        self._real = real
        self._minutes: asyncio.Task[None] | None = None
        self._transaction = asyncio.Lock()

    def start(self) -> None:
        """Have a tick each real minute from now on."""
        if not self._real:
            self._minutes = asyncio.create_task(self._each_minute())

    def close(self) -> None:
        """No ticks any more."""
        if self._minutes is not None:
            self._minutes.cancel()

    async def tick(self) -> int:
        """Run the jobs of every minute now. Returns their number when the maintenance function has finished."""
        return await self._run("schedule = %s")

    async def nightly(self) -> int:
        """Run the other jobs now. Returns their number when the maintenance function has finished.

        The nightly pass is asked for as an operator does by hand: days that have not ended count as well, since whoever
        asks has just written what it is to find.
        """
        return await self._run("schedule <> %s", {NIGHTLY: NIGHTLY_BY_HAND})

    async def _run(self, which: str, instead: Mapping[str, str] = MappingProxyType({})) -> int:
        async with self._transaction:
            cursor = await self._connection.execute(
                f"select username, command from cron.job where active and {which} order by jobid".encode(),
                [EVERY_MINUTE],
            )
            jobs = await cursor.fetchall()
        for user, scheduled in jobs:
            command = instead.get(scheduled, scheduled)
            # Two ticks at once share the connection, and must not share a transaction.
            async with self._transaction, self._connection.transaction():
                row = await (await self._connection.execute("select pg_current_xact_id()::text")).fetchone()
                assert row is not None
                await self._connection.execute(
                    psycopg.sql.SQL("set local role {}").format(psycopg.sql.Identifier(user))
                )
                await self._connection.execute(command.encode())
            await self._invocations.finish(row[0], "maintenance")
        return len(jobs)

    async def _each_minute(self) -> None:
        while True:
            await asyncio.sleep(60 - self._clock.time() % 60)
            with contextlib.suppress(psycopg.Error):
                async with self._transaction:
                    await self._connection.execute("select cron.local_tick(lanekeeper.now())")
