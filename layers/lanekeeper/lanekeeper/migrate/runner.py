"""Applies the numbered migrations that a database has not seen, all in one transaction."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import psycopg

from lanekeeper.postgres.statements import Statements

SQL = Statements.beside(__file__)

_NAME = re.compile(r"^\d{4}_[a-z0-9]+(_[a-z0-9]+)+\.sql$")


class DatabaseAheadError(Exception):
    """The database has migrations that this code does not know: it belongs to a newer release."""


class MigrationChangedError(Exception):
    """A migration that was applied has another text now. Migrations are never edited: add a new one."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of the migrations folder."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Hash of the text, to notice an edit."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read(folder: Path) -> list[Migration]:
    """The migrations of a folder in order.

    Raises:
        ValueError: a file is not named ``NNNN_verb_object.sql``, or the numbers have a gap.
    """
    migrations = [Migration(path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("[0-9]*.sql"))]
    for number, migration in enumerate(migrations, start=1):
        if not _NAME.match(migration.name) or not migration.name.startswith(f"{number:04d}_"):
            raise ValueError(f"{migration.name}: expected {number:04d}_verb_object.sql")
    return migrations


def apply(conninfo: str, folder: Path) -> list[str]:
    """Bring a database up to date; the names of the migrations that were applied now.

    Two runs at once are safe: the second waits for the first and finds nothing to do. When one migration
    fails, none of this run stays.

    Raises:
        DatabaseAheadError: the database knows migrations that the folder does not.
        MigrationChangedError: an applied migration was edited since.
    """
    migrations = read(folder)
    with psycopg.connect(conninfo) as connection:
        connection.execute(SQL["take_turns"])
        connection.execute(SQL["create_migrations"])
        applied: dict[str, str] = dict(connection.execute(SQL["applied_migrations"]).fetchall())
        if unknown := applied.keys() - {migration.name for migration in migrations}:
            raise DatabaseAheadError(f"unknown to this release: {', '.join(sorted(unknown))}")
        pending = []
        for migration in migrations:
            if migration.name not in applied:
                pending.append(migration)
            elif applied[migration.name] != migration.sha256:
                raise MigrationChangedError(migration.name)
        for migration in pending:
            connection.execute(migration.text.encode())
            connection.execute(SQL["record_migration"], {"name": migration.name, "sha256": migration.sha256})
        connection.commit()
        # pg_cron misses jobs whose transaction changed thousands of things, as the first run's does.
        connection.execute(SQL["schedule_anew"])
    return [migration.name for migration in pending]
