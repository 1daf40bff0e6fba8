"""What the nightly pass is made of. Loaded when there is something to do."""

from collections.abc import Callable

from lanekeeper.limits import Limits
from lanekeeper.mainline.batches import Batches
from lanekeeper.mainline.client import Mainline
from lanekeeper.maintenance.coverage import Coverage
from lanekeeper.maintenance.in_force import OperatorSettings
from lanekeeper.maintenance.meter import BackgroundMeter
from lanekeeper.maintenance.nightly import Nightly
from lanekeeper.maintenance.note_batches import NoteBatches
from lanekeeper.maintenance.sweeps import Sweeps
from lanekeeper.memory.writer import NoteWriter
from lanekeeper.postgres import Database
from lanekeeper.settings import Settings


def nightly(settings: Settings, limits: Limits, database: Database, seconds_left: Callable[[], float]) -> Nightly:
    """The pass over everyone who wrote something that nobody has read.

    Args:
        settings: where the model is.
        limits: every number.
        database: a connection of the maintenance role.
        seconds_left: of the invocation that runs.
    """
    operators = OperatorSettings(database, limits)
    mainline = Mainline(settings.mainline_base_url, settings.mainline_key, limits)
    batches = Batches(settings.mainline_base_url, settings.mainline_key, limits)
    writer = NoteWriter(database, mainline, lambda user_id: BackgroundMeter(database, user_id, operators), limits)
    coverage = Coverage(database, limits)
    return Nightly(
        database,
        writer=writer,
        coverage=coverage,
        batches=NoteBatches(database, batches, writer, coverage, limits),
        sweeps=Sweeps(database, limits),
        limits=limits,
        seconds_left=seconds_left,
    )
