"""What the maintenance function does with a conversation in the background. Loaded when there is something to do."""

from collections.abc import Awaitable, Callable

from agents import load_agents
from lanekeeper.limits import Limits
from lanekeeper.mainline.client import Mainline
from lanekeeper.maintenance.ceiling import Ceiling
from lanekeeper.maintenance.compacting import Compacting
from lanekeeper.maintenance.in_force import OperatorSettings
from lanekeeper.maintenance.meter import BackgroundMeter
from lanekeeper.maintenance.passed_over import PassedOver
from lanekeeper.memory.writer import NoteWriter
from lanekeeper.postgres import Database
from lanekeeper.settings import Settings
from lanekeeper.timers import Timer


class Background:
    """The writers of notes and summaries.

    Args:
        settings: where the model and the tools are.
        limits: every number.
        database: a connection of the maintenance role.
        wake: starts one worker; False when that failed.

    Raises:
        SettingsError: a setting is missing.
    """

    def __init__(
        self, settings: Settings, limits: Limits, database: Database, wake: Callable[[], Awaitable[bool]]
    ) -> None:
        settings.require("mainline_base_url", "mainline_key")
        operators = OperatorSettings(database, limits)
        self.mainline = Mainline(settings.mainline_base_url, settings.mainline_key, limits)
        self.notes = NoteWriter(
            database, self.mainline, lambda user_id: BackgroundMeter(database, user_id, operators), limits
        )
        compacting = Compacting(
            database=database,
            mainline=self.mainline,
            settings=operators,
            agents=load_agents(settings, limits),
            notes=self.notes,
            wake=wake,
            limits=limits,
        )
        self._ceiling = Ceiling(database, compacting, wake, limits)
        self._passed_over = PassedOver(database, wake)

    async def save(self, timer: Timer) -> None:
        """A conversation is quiet: keep what its person said (W3)."""
        assert timer.user_id is not None
        assert timer.conversation_id is not None
        async with self._passed_over.looked_after(timer.user_id):
            await self.notes.write(timer.user_id, timer.conversation_id)

    async def shorten(self, timer: Timer) -> None:
        """A conversation has grown too long, or its cache is about to expire (C2, C3)."""
        assert timer.user_id is not None
        async with self._passed_over.looked_after(timer.user_id):
            await self._ceiling.run(timer)
