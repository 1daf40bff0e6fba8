"""Everything that is measured on running servers: turns, the pace of words, and what a turn writes."""

import asyncio
import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.devkit.bench import history, peers, rivals, turns
from tests.devkit.bench.figures import Figures, median_of
from tests.devkit.bench.processes import wait_until_quiet
from tests.devkit.system import System, SystemProcess

Say = Callable[[str], None]

# For turns of zero delay as many as run.py starts, more than there are cores. For the pace of words one a person, as on
# Lambda: with fewer one would measure how long people wait for each other.
WORKERS, WORKERS_FOR_PACE = 8, max(turns.TURNS)


class Serving:
    """The system, and the peers that are installed, all on one durable Postgres and one model of zero delay.

    Sandboxes are not frozen between events and talk to Postgres directly: what stopping processes costs on a laptop
    says nothing about the product.
    """

    def __init__(self, say: Say, *, quick: bool) -> None:
        self._say = say
        self._rounds = 1 if quick else 3
        self._turns = {people: max(2, count // 2) if quick else count for people, count in turns.TURNS.items()}
        self._histories = (10, 100) if quick else (10, 100, 1000)
        self._quick = quick

    def measure(self) -> Figures:
        """Start everything, measure, stop everything."""
        figures: Figures = {"turns": {}, "pace": {}, "history": {}}
        with contextlib.ExitStack() as running:
            process, servers = self._started(running, WORKERS)
            for people, count in self._turns.items():
                self._say(f"turns of {people} people at once")
                figures["turns"][str(people)] = self._side_by_side(
                    process, servers, people, 0, turns_each=count, rounds=self._rounds
                )
            for length in self._histories:
                self._say(f"what a turn writes after {length} messages")
                figures["history"][str(length)] = self._once(process, history.ours, length, 10 if self._quick else 20)
        with contextlib.ExitStack() as running:
            process, servers = self._started(running, WORKERS_FOR_PACE)
            for people in self._turns:
                self._say(f"the pace of words for {people} people at once")
                figures["pace"][str(people)] = self._side_by_side(process, servers, people, 20, turns_each=2, rounds=1)
        if peers.FLOOR.ready:
            for length in self._histories:
                self._say(f"what LangGraph's savers write after {length} messages")
                figures["history"][str(length)] |= history.savers(length, 5 if self._quick else 20)
        return figures

    def _started(self, running: contextlib.ExitStack, workers: int) -> tuple[SystemProcess, list[Any]]:
        # No request is kept, as in production.
        process = SystemProcess(
            {"LIMIT_REQUEST_SAMPLE_RATE": "0"},
            workers=workers,
            zero_delay=True,
            durable=True,
            direct_database=True,
            no_freeze=True,
        )
        running.callback(process.stop)
        others = [self._start(running, process, name) for name in ("floor", "aegra")]
        return process, [None, *(rival for rival in others if rival)]

    def _start(self, running: contextlib.ExitStack, process: SystemProcess, name: str) -> rivals.Agents | None:
        database, model = process.ready["database_url"], process.ready["mainline_url"]
        if name == "floor":
            return running.enter_context(rivals.floor(database, model)) if peers.FLOOR.ready else None
        home = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="lanekeeper-bench-")))
        return running.enter_context(rivals.aegra(database, model, home)) if peers.AEGRA.ready else None

    def _side_by_side(
        self, process: SystemProcess, servers: list[Any], people: int, delay_ms: float, *, turns_each: int, rounds: int
    ) -> Figures:
        """One load on each server, in turn, several times over."""
        taken: dict[str, list[Figures]] = {}
        for _ in range(rounds):
            for server in servers:
                wait_until_quiet(patience_s=3 if self._quick else 10)
                name, figures = asyncio.run(self._load(process, server, people, delay_ms, turns_each))
                taken.setdefault(name, []).append(figures)
        return {name: median_of(runs) for name, runs in taken.items()}

    async def _load(
        self, process: SystemProcess, server: Any, people: int, delay_ms: float, count: int
    ) -> tuple[str, Figures]:
        async with System(**process.ready) as system:
            rival = server or rivals.Ours(system, process)
            grown = await families(system, process, server)
            figures = await turns.load(system, rival, people, delay_ms=delay_ms, turns=count, families=grown)
            return rival.name, figures

    def _once(self, process: SystemProcess, measure: Callable[..., Any], length: int, count: int) -> Figures:
        async def run() -> Figures:
            async with System(**process.ready) as system:
                figures: Figures = await measure(system, rivals.Ours(system, process), length, count)
                return {"lanekeeper": figures}

        return asyncio.run(run())


async def families(
    system: System, process: SystemProcess, server: rivals.Agents | None
) -> Callable[[], dict[str, list[int]]]:
    """Whose CPU time is told apart. The functions' processes are looked up when the load begins: by then all run."""
    children = psutil.Process(process.process.pid).children(recursive=True)
    postgres = [child.pid for child in children if child.name() == "postgres" and child.ppid() == process.process.pid]
    model = [child.pid for child in children if "tests.devkit.mainline" in child.cmdline()]
    shared = {"postgres": postgres, "model": model}
    if server is not None:
        return lambda: {"server": server.processes["all"], **shared}

    def ours() -> dict[str, list[int]]:
        # Asked without the event loop, which waits here.
        sandboxes = httpx.get(f"{system.url}/dev/sandboxes", trust_env=False).json()
        functions = {name: box["pids"] for name, box in sandboxes.items() if name in ("accept", "stream", "worker")}
        return {**functions, **shared, "all": [process.process.pid]}

    return ours
