"""Applies the product's migrations to a local database."""

from pathlib import Path

from lanekeeper.migrate.runner import apply

MIGRATIONS = Path(__file__).parents[2] / "migrations"


def migrate(url: str) -> None:
    """Bring a database up to the newest migration, as the role in ``url``."""
    apply(url, MIGRATIONS)
