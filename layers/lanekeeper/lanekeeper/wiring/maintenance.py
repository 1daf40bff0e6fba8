"""The maintenance function: one connection, and the means to wake workers."""

import asyncio
import logging
import os
from collections.abc import Mapping

from lanekeeper.functions import Functions
from lanekeeper.limits import Limits
from lanekeeper.maintenance.sweeps import Sweeps
from lanekeeper.maintenance.tick import Tick
from lanekeeper.metrics import name_deployment
from lanekeeper.postgres import Database
from lanekeeper.settings import Settings
from lanekeeper.types import Json

logger = logging.getLogger(__name__)


class Maintenance:
    """Runs one job an invocation.

    Args:
        environment: the function's environment variables.

    Raises:
        SettingsError: a setting is missing or not allowed.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        settings = Settings.from_environment(environment).require("database_url", "worker_function")
        limits = Limits.from_environment(environment)
        name_deployment(settings.metrics_namespace)
        self._functions = Functions(settings.lambda_endpoint, settings.region, limits.wake_timeout_s)
        self._worker = settings.worker_function
        self._runner = asyncio.Runner()
        database = Database(settings.dial, "lanekeeper-maintenance", pooled=settings.database_pooled)
        self._jobs: dict[str, Tick | Sweeps] = {
            "tick": Tick(database, self._wake, limits),
            "nightly": Sweeps(database, limits),
        }

    def run(self, job: str) -> Json:
        """Run a job; what it found or did, in counts.

        Raises:
            KeyError: there is no such job.
        """
        found = self._runner.run(self._run(job))
        # As fields of the log's JSON: an alarm counts the lanes that wait.
        logger.info("maintenance", extra={"job": job, **found})
        return found

    async def _run(self, job: str) -> Json:
        return (await self._jobs[job].run()).as_json()

    async def _wake(self) -> bool:
        try:
            await asyncio.to_thread(self._functions.start, self._worker, b"{}")
        except OSError as error:
            logger.warning("a worker could not be woken: %s", error)
            return False
        return True
