"""Ordered claims: Lanekeeper's lane beside procrastinate and pgmq, each on a durable database of its own."""

import os
import sys
from pathlib import Path

from tests.devkit.bench import peers
from tests.devkit.bench.figures import Figures, Spread, median_of, short
from tests.devkit.bench.history import STEADY, told
from tests.devkit.migrations import migrate
from tests.devkit.postgres import Postgres

ROOT = Path(__file__).resolve().parents[3]
QUEUES = ("lanekeeper", "procrastinate", "pgmq")
WORKERS = (1, 4, 16)


def queues() -> list[str]:
    """Those that can be measured here."""
    return [name for name in QUEUES if name == "lanekeeper" or peers.QUEUES.ready]


def measure(rounds: int, people: int, flooded: int) -> dict[str, Figures]:
    """Claims a second with 1, 4 and 16 workers, one message a person and ten; and who waits behind a flood."""
    taken: dict[str, Figures] = {}
    with Postgres(durable=True, settings=STEADY) as server:
        for name in queues():
            taken[name] = {
                "one_each": {
                    str(workers): median_of([drain(server, name, workers, people, 1) for _ in range(rounds)])
                    for workers in WORKERS
                },
                "ten_each": median_of([drain(server, name, 4, people // 10, 10) for _ in range(rounds)]),
                "flood": flood(server, name, flooded),
            }
    return taken


def drain(server: Postgres, name: str, workers: int, people: int, each: int) -> Figures:
    """How fast a backlog is worked off."""
    options = ["--test", "drain", "--workers", str(workers), "--people", str(people), "--each", str(each)]
    figures = _run(server, name, options)
    return {**figures, "per_s": short(figures["per_s"]), "lost": figures["jobs"] - figures["handled"]}


def flood(server: Postgres, name: str, flooded: int) -> Figures:
    """How long everybody else waits while one person has sent so many, four workers, 20 ms of work each."""
    figures = _run(server, name, ["--test", "flood", "--workers", "4", "--flood", str(flooded)])
    waits = figures.pop("waits_s")
    return {**figures, "wait_ms": Spread.of(waits, 1e3).figures()}


def _run(server: Postgres, name: str, options: list[str]) -> Figures:
    database = "claims"
    server.create_database(database)
    try:
        environment = {}
        python = peers.QUEUES.python
        if name == "lanekeeper":
            server.prepare_database(database, migrate)
            python = Path(sys.executable)
            environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "layers" / "lanekeeper"), str(ROOT)])
        command: list[str | Path] = [python, peers.SCRIPTS / "lanes.py", "--queue", name, "--url", server.url(database)]
        return told(command, *options, environment=environment)
    finally:
        server.drop_database(database)
