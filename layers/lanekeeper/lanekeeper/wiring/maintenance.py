"""The maintenance function: its two connections, what it does when, and the means to wake workers."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from lanekeeper.functions import Functions
from lanekeeper.limits import Limits
from lanekeeper.maintenance.due_timers import Action, DueTimers
from lanekeeper.maintenance.tick import Tick
from lanekeeper.metrics import name_deployment
from lanekeeper.postgres import Database
from lanekeeper.settings import Settings
from lanekeeper.timers import BATCH, COMPACTION, IDLE_COMPACTION, IDLE_SAVE, NIGHTLY, Claims, Timer
from lanekeeper.types import Json

if TYPE_CHECKING:
    from lanekeeper.maintenance.nightly import Nightly
    from lanekeeper.wiring.background import Background

logger = logging.getLogger(__name__)

# The transaction that holds the locks of timers does nothing for as long as one of them takes, and no longer.
LOCKS_S = 330


class Maintenance:
    """Runs one job an invocation.

    Args:
        environment: the function's environment variables.

    Raises:
        SettingsError: a setting is missing or not allowed.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        settings = Settings.from_environment(environment).require("database_url", "worker_function")
        settings.require("mainline_base_url", "mainline_key")
        limits = Limits.from_environment(environment)
        name_deployment(settings.metrics_namespace)
        self._functions = Functions(settings.lambda_endpoint, settings.region, limits.wake_timeout_s)
        self._worker = settings.worker_function
        self._runner = asyncio.Runner()
        self._remaining_ms: Callable[[], int] = int
        name, pooled = "lanekeeper-maintenance", settings.database_pooled
        database = Database(settings.dial, name, pooled=pooled)
        lock = Database(settings.dial, name, idle_in_transaction_s=LOCKS_S, pooled=pooled)

        @cache
        def background() -> Background:
            # Late: LangChain, the agents and their tools, which only what is due may need.
            from lanekeeper.wiring.background import Background

            return Background(settings, limits, database, self._wake)

        @cache
        def nights() -> Nightly:
            from lanekeeper.wiring.nights import nightly

            return nightly(settings, limits, database, self._time_left)

        self._nights = nights
        timers = DueTimers(Claims(database, lock, limits), actions(background, nights), limits)
        self._tick = Tick(database, self._wake, limits, timers)

    def run(self, event: Mapping[str, Any], remaining_ms: Callable[[], int]) -> Json:
        """Run the job that an event names; what it found or did, in counts.

        Args:
            event: ``{"job": "tick"}`` or ``{"job": "nightly"}``. A run by hand adds ``"open_days": true``: then days
                that have not ended count as well.
            remaining_ms: tells how many milliseconds of the invocation are left.

        Raises:
            KeyError: there is no such job.
        """
        job = event["job"]
        self._remaining_ms = remaining_ms
        found = self._runner.run(self._run(event))
        # As fields of the log's JSON: an alarm counts the lanes that wait.
        logger.info("maintenance", extra={"job": job, **found})
        return found

    async def _run(self, event: Mapping[str, Any]) -> Json:
        if event["job"] == "nightly":
            return (await self._nights().run(open_days=event.get("open_days") is True)).as_json()
        if event["job"] == "tick":
            return (await self._tick.run(self._time_left)).as_json()
        raise KeyError(event["job"])

    def _time_left(self) -> float:
        return self._remaining_ms() / 1000

    async def _wake(self) -> bool:
        try:
            await asyncio.to_thread(self._functions.start, self._worker, b"{}")
        except OSError as error:
            logger.warning("a worker could not be woken: %s", error)
            return False
        return True


def actions(background: Callable[[], Background], nights: Callable[[], Nightly]) -> dict[str, Action]:
    """What is done when a timer is due, by its kind."""

    async def save(timer: Timer) -> None:
        await background().save(timer)

    async def shorten(timer: Timer) -> None:
        await background().shorten(timer)

    async def look(timer: Timer) -> None:
        await nights().look(timer)

    async def go_on(timer: Timer) -> None:
        await nights().go_on(timer)

    return {IDLE_SAVE: save, IDLE_COMPACTION: shorten, COMPACTION: shorten, BATCH: look, NIGHTLY: go_on}
