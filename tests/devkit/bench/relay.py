"""What the relay adds to every token, measured by a program of its own."""

import sys

from tests.devkit.bench.figures import Figures
from tests.devkit.bench.history import told


def measure(streams: str, seconds: float) -> list[Figures]:
    """Runs by NOTIFY and by polling, for each number of streams."""
    command = [sys.executable, "-m"]
    figures = told([*command, "tests.devkit.bench_relay"], "--streams", streams, "--seconds", str(seconds))
    runs: list[Figures] = figures["runs"]
    return runs
