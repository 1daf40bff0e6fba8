"""Brings the database to what this release expects: on each deploy, or by hand with an empty event."""

from pathlib import Path

from lanekeeper.wiring.migrate import build

handler = build(migrations=Path(__file__).with_name("migrations"))
