"""Ruff and mypy have nothing to say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def ask(*command: str) -> None:
    asked = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert asked.returncode == 0, asked.stdout + asked.stderr


def test_ruff_finds_nothing() -> None:
    ask("ruff", "check", "--quiet", ".")


def test_mypy_finds_nothing_in_what_ships() -> None:
    ask("mypy")


def test_mypy_finds_nothing_in_the_dev_kit_and_the_handlers() -> None:
    # The bench's scripts run in the environments of the peers, whose libraries are not here.
    ask("mypy", "tests/devkit", "functions", "run.py", "--exclude", "bench/scripts/")


def test_ruff_would_format_nothing() -> None:
    ask("ruff", "format", "--check", "--quiet", ".")
