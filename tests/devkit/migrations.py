"""Applies the product's migrations to a local database."""

from pathlib import Path

import psycopg

MIGRATIONS = Path(__file__).parents[2] / "migrations"


def migrate(url: str) -> None:
    """Bring a database up to the newest migration, as the role in ``url``."""
    try:
        from lanekeeper.migrate import apply
    except ImportError:
        _apply_in_order(url)
    else:
        apply(url)


def _apply_in_order(url: str) -> None:
    with psycopg.connect(url) as connection:
        for path in sorted(MIGRATIONS.glob("[0-9]*.sql")):
            connection.execute(path.read_bytes())
