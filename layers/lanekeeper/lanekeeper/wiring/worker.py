"""The worker function: four connections, the model client, the agents, and the engine that joins them."""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping

from agents import load_agents
from lanekeeper.functions import Functions, Waker
from lanekeeper.limits import Limits
from lanekeeper.mainline.client import Mainline
from lanekeeper.memory.recall import warm_up
from lanekeeper.metrics import name_deployment
from lanekeeper.postgres import Database
from lanekeeper.settings import Settings
from lanekeeper.traces.tracing import Tracing
from lanekeeper.turn.engine import Engine
from lanekeeper.types import new_id

logger = logging.getLogger(__name__)

# A turn's own transactions never pause. One that does belongs to a worker that was frozen in it.
WRITING_S = 3


class Worker:
    """Runs turns, one at a time.

    Args:
        environment: the function's environment variables.

    Raises:
        SettingsError: a setting is missing or not allowed.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        settings = Settings.from_environment(environment).require(
            "database_url", "mainline_base_url", "mainline_key", "maintenance_function"
        )
        limits = Limits.from_environment(environment)
        # All of a worker's connections carry one name, by which the tick ends them when the worker is lost.
        holder = new_id("worker")
        # The lock's transaction does nothing for as long as a turn lasts, and no longer.
        idle_s = int(limits.turn_s) + 30
        functions = Functions(settings.lambda_endpoint, settings.region, limits.wake_timeout_s)
        maintenance = Waker(functions, settings.maintenance_function, limits.wake_timeout_s)
        self._runner = asyncio.Runner()
        self._tracing = tracing(settings, limits)
        name_deployment(settings.metrics_namespace)
        self._recall = Database(settings.dial, holder, idle_in_transaction_s=WRITING_S, pooled=settings.database_pooled)
        self._warm = False
        self._engine = Engine(
            work=Database(settings.dial, holder, idle_in_transaction_s=WRITING_S, pooled=settings.database_pooled),
            lock=Database(settings.dial, holder, idle_in_transaction_s=idle_s, pooled=settings.database_pooled),
            reply=Database(settings.dial, holder, idle_in_transaction_s=WRITING_S, pooled=settings.database_pooled),
            recall=self._recall,
            agents=load_agents(settings, limits),
            mainline=Mainline(settings.mainline_base_url, settings.mainline_key, limits),
            limits=limits,
            holder=holder,
            tracing=self._tracing,
            wake_maintenance=lambda: maintenance.wake({"job": "tick"}),
        )

    def run(self, remaining_ms: Callable[[], int]) -> int:
        """Run turns until no lane waits or the time left is too short for another; how many ran.

        Args:
            remaining_ms: tells how many milliseconds of the invocation are left.
        """
        turns = self._runner.run(self._drain(lambda: remaining_ms() / 1000))
        logger.info("worker: %d turns", turns)
        return turns

    async def _drain(self, seconds_left: Callable[[], float]) -> int:
        # Beside the first claim of a process, which has nothing to do with it.
        warming = None if self._warm else asyncio.create_task(warm_up(self._recall))
        self._warm = True
        try:
            return await self._engine.drain(seconds_left)
        finally:
            if warming is not None:
                await asyncio.wait({warming}, timeout=WRITING_S)
                warming.cancel()
            # A process that is frozen sends nothing. Nobody waits for this: the replies are out.
            await self._tracing.flush()


def tracing(settings: Settings, limits: Limits) -> Tracing:
    """Where this environment's traces go: into the database, or out to its collector.

    Raises:
        SettingsError: the collector has no address.
    """
    if settings.traces == "database":
        return Tracing()
    settings.require("traces_endpoint")
    # Late: protobuf, which spans need only where they go out.
    from lanekeeper.traces.otlp import OtlpCollector

    collector = OtlpCollector(
        settings.environment, settings.traces_endpoint, settings.traces_headers, limits.trace_send_s
    )
    return Tracing(collector, held=limits.traces_held)
