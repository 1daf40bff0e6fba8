"""One deployment's migration: wait for the database, migrate it, and tell it which function pg_cron starts."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg

from lanekeeper import clock
from lanekeeper.migrate.runner import SQL, apply

# A database that was made a minute ago may not answer yet, nor its name be known.
PAUSE_S = 5.0

# What must be left of the function's time to begin once more.
RESERVE_S = 60.0

logger = logging.getLogger(__name__)
Connect = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Deployment:
    """Brings one database to this release.

    Args:
        connect: gives the conninfo of the database's owner, anew for each try (its password may have been changed).
        folder: the migrations of this release.
        maintenance: name or ARN of the function that pg_cron starts; empty where there is none.
        region: its AWS region.
        pause: waits so many seconds between two tries.
    """

    connect: Connect
    folder: Path
    maintenance: str = ""
    region: str = ""
    pause: Callable[[float], None] = time.sleep

    def run(self, time_left_s: float) -> list[str]:
        """Migrate; the names of the migrations that were applied now. Running it again changes nothing.

        A database that cannot be reached is asked again while there is time.

        Raises:
            psycopg.OperationalError: it could not be reached in time, or a statement took too long.
            DatabaseAheadError: the database belongs to a newer release; it was not touched.
            MigrationChangedError: an applied migration was edited since.
            FileNotFoundError: the folder holds no migrations: the function was packed without them.
        """
        if not any(self.folder.glob("*.sql")):
            raise FileNotFoundError(f"no migrations in {self.folder}")
        end = clock.monotonic() + time_left_s
        while True:
            try:
                conninfo = self._bounded(end - clock.monotonic())
                applied = apply(conninfo, self.folder)
                self._point_at_maintenance(conninfo)
            except psycopg.OperationalError:
                if clock.monotonic() + PAUSE_S + RESERVE_S > end:
                    raise
                logger.warning("the database did not take the migrations; trying again", exc_info=True)
                self.pause(PAUSE_S)
            else:
                return applied

    def _bounded(self, time_left_s: float) -> str:
        """The conninfo, with an end to each statement: an answer must leave before Lambda ends the function."""
        milliseconds = max(1, int((time_left_s - RESERVE_S / 2) * 1000))
        options = f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds // 2}"
        return psycopg.conninfo.make_conninfo(self.connect(), options=options, connect_timeout=10)

    def _point_at_maintenance(self, conninfo: str) -> None:
        if self.maintenance:
            with psycopg.connect(conninfo) as connection:
                parameters = {"function": self.maintenance, "region": self.region}
                connection.execute(SQL["point_at_maintenance"], parameters)
