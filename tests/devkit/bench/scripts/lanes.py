"""Ordered work of many people through a queue on Postgres: how fast it is claimed, and who waits behind a flood.

Runs in the queue's own environment, so it needs nothing but the standard library and psycopg:
``python lanes.py --queue procrastinate --url postgresql://... --test drain --workers 4``. Prints one line of JSON.
"""

import argparse
import asyncio
import contextlib
import importlib
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Protocol

Job = dict[str, Any]


class Queue(Protocol):
    """A queue that keeps the jobs of one person in order."""

    async def open(self, url: str) -> None:
        """Make the queue's own tables in an empty database."""

    async def fill(self, jobs: list[Job]) -> None:
        """Add many jobs at once."""

    async def add(self, job: Job) -> None:
        """Add one job and wake a worker."""

    async def work(self, workers: int, check: "Check", *, until_empty: bool) -> None:
        """Let so many workers handle jobs until cancelled."""

    async def close(self) -> None:
        """Close what was opened."""


class Check:
    """Handles the jobs: counts them, and notices two at once or out of order within one person."""

    def __init__(self, expected: int, work_s: float = 0) -> None:
        self.expected = expected
        self.handled = 0
        self.overlaps = 0
        self.disorder = 0
        self.waits: list[float] = []
        self.done = asyncio.Event()
        self._work_s = work_s
        self._active: dict[str, int] = defaultdict(int)
        self._last: dict[str, int] = defaultdict(lambda: -1)

    async def handle(self, job: Job) -> None:
        """One job: as long as the work lasts."""
        person, number = str(job["person"]), int(job["number"])
        if "added" in job:
            self.waits.append(time.perf_counter() - float(job["added"]))
        self.overlaps += self._active[person] > 0
        self.disorder += number <= self._last[person]
        self._last[person] = max(number, self._last[person])
        self._active[person] += 1
        if self._work_s:
            await asyncio.sleep(self._work_s)
        self._active[person] -= 1
        self.handled += 1
        if self.handled >= self.expected:
            self.done.set()


def backlog(people: int, each: int) -> list[Job]:
    """``each`` jobs of every person, person by person in turn."""
    return [{"person": f"person-{person}", "number": number} for number in range(each) for person in range(people)]


async def drain(queue: Queue, workers: int, people: int, each: int, patience_s: float) -> Job:
    """A backlog is there when the workers start; jobs a second until it is gone."""
    jobs = backlog(people, each)
    await queue.fill(jobs)
    check = Check(len(jobs))
    began = time.perf_counter()
    working = asyncio.create_task(queue.work(workers, check, until_empty=True))
    finished = asyncio.create_task(check.done.wait())
    await asyncio.wait({working, finished}, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
    seconds = time.perf_counter() - began
    finished.cancel()
    await stop(working)
    return {"per_s": check.handled / seconds, "handled": check.handled, "jobs": len(jobs), **faults(check)}


async def flood(queue: Queue, workers: int, backlog_of_one: int, others: int, gap_s: float) -> Job:
    """One person has a backlog of jobs of 20 ms; others add one now and then. How long the others wait to begin."""
    await queue.fill([{"person": "flooder", "number": number} for number in range(backlog_of_one)])
    check = Check(backlog_of_one + others, work_s=0.02)
    working = asyncio.create_task(queue.work(workers, check, until_empty=False))
    await asyncio.sleep(1)
    try:
        for number in range(others):
            await queue.add({"person": f"person-{number % 50}", "number": number, "added": time.perf_counter()})
            await asyncio.sleep(gap_s)
        deadline = time.perf_counter() + 15
        while len(check.waits) < others and time.perf_counter() < deadline:
            await asyncio.sleep(0.02)
    finally:
        await stop(working)
    return {"waits_s": check.waits, "sent": others, "begun": len(check.waits), **faults(check)}


def faults(check: Check) -> Job:
    """What an ordered queue must never do."""
    return {"overlaps": check.overlaps, "disorder": check.disorder}


async def stop(task: "asyncio.Task[None]") -> None:
    """End the workers. Raises what they failed at."""
    if not task.done():
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, TimeoutError):
            await asyncio.wait_for(task, 10)
    elif error := task.exception():
        raise error


async def main(chosen: argparse.Namespace) -> Job:
    """One measurement on an empty database."""
    queue: Queue = importlib.import_module(f"queue_{chosen.queue}").queue()
    await queue.open(chosen.url)
    try:
        if chosen.test == "drain":
            return await drain(queue, chosen.workers, chosen.people, chosen.each, chosen.patience)
        return await flood(queue, chosen.workers, chosen.flood, chosen.others, chosen.gap)
    finally:
        await queue.close()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    parser = argparse.ArgumentParser()
    parser.add_argument("--queue", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--test", choices=["drain", "flood"], required=True)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--flood", type=int, default=3000)
    parser.add_argument("--others", type=int, default=150)
    parser.add_argument("--gap", type=float, default=0.03)
    parser.add_argument("--patience", type=float, default=40)
    sys.stdout.write(json.dumps(asyncio.run(main(parser.parse_args()))) + "\n")
