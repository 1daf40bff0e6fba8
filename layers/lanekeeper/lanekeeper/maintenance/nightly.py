"""The nightly pass: everyone who wrote something that nobody has read for notes, once their own day has ended (W3)."""

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from lanekeeper import clock
from lanekeeper.limits import Limits
from lanekeeper.mainline.batch import batch
from lanekeeper.mainline.batches import NoBatchesError
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.shape import MisfitError
from lanekeeper.maintenance.coverage import SQL, Coverage, Outcome, Person
from lanekeeper.maintenance.note_batches import NoteBatches
from lanekeeper.maintenance.sweeps import Sweeps
from lanekeeper.memory.writer import NoteWriter
from lanekeeper.metrics import Measure, publish
from lanekeeper.postgres import Database
from lanekeeper.timers import NIGHTLY, Timer, set_timer
from lanekeeper.types import Json

logger = logging.getLogger(__name__)

LOOK_S = 1.0
HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Night:
    """What one run came to: how many people's turn it was, what became of people, and what was removed, in rows."""

    due: int
    covered: int
    skipped: int
    failed: int
    unfinished: bool
    swept: Json

    def as_json(self) -> Json:
        """For the log and the invocation's answer."""
        return asdict(self)


class Nightly:
    """One run of the night's work. Safe to repeat, to run twice at once, and to die at any point.

    Who is due is put on a list first, so that a run that dies or has no time left is gone on with by the next one.

    Args:
        database: a connection of the maintenance role.
        writer: who writes notes.
        coverage: the list.
        batches: asks about many people at once.
        sweeps: removes what has been kept for long enough.
        limits: how many people are asked about at once.
        seconds_left: how long this invocation may still take.
    """

    def __init__(
        self,
        database: Database,
        *,
        writer: NoteWriter,
        coverage: Coverage,
        batches: NoteBatches,
        sweeps: Sweeps,
        limits: Limits,
        seconds_left: Callable[[], float],
    ) -> None:
        self._database = database
        self._writer = writer
        self._coverage = coverage
        self._batches = batches
        self._sweeps = sweeps
        self._limits = limits
        self._seconds_left = seconds_left
        self._by_batch = True
        self._until = math.inf

    async def run(self, *, open_days: bool = False) -> Night:
        """Do the night's work.

        Args:
            open_days: someone asks for it by hand. Days that have not ended count as well, and old rows go at once.
        """
        await self._begin()
        swept = await self._sweep(at_once=open_days)
        due = await self._coverage.enqueue(open_days=open_days)
        # Whoever asks by hand waits for the end of it.
        settled, unfinished = await self._cover(math.inf if open_days else self._limits.nightly_run_s)
        return Night(due, settled["covered"], settled["skipped"], settled["failed"], unfinished, swept)

    async def go_on(self, _: Timer) -> None:
        """Go on where a run had no time left. The action of the timer ``nightly``."""
        await self._cover(self._limits.nightly_run_s)

    async def look(self, timer: Timer) -> None:
        """See to a batch. The action of the timer ``batch``."""
        await self._batches.look(timer.key)
        self._coverage.told()
        if await self._coverage.waits():
            await self._leave()

    async def _cover(self, seconds: float) -> tuple[Counter[Outcome], bool]:
        """Ask about everybody on the list; what became of people, and whether some are left to the next tick.

        Ticks that help people who wait must not be kept waiting themselves, so it takes no longer than ``seconds``.
        """
        self._until = clock.monotonic() + seconds
        self._by_batch = True
        settled: Counter[Outcome] = Counter()
        sent: list[str] = []
        looks = 0
        unfinished = False
        while True:
            settled += self._coverage.told()
            if self._time_is_short():
                unfinished = await self._coverage.waits()
                break
            if people := await self._coverage.claim(self._limits.nightly_batch_people):
                sent += await self._ask(people)
                continue
            sent = [name for name in sent if not await self._batches.look(name)]
            if not await self._coverage.waits():
                if not sent or looks >= self._limits.batch_looks:
                    break
                looks += 1
                await asyncio.sleep(LOOK_S)
        if unfinished:
            await self._leave()
        return settled + self._coverage.told(), unfinished

    async def _ask(self, people: Sequence[Person]) -> list[str]:
        """Ask about these people: the first time in a batch, then each by themselves. The batches that were sent."""
        fresh = [person for person in people if not person.tries]
        sent: list[str] = []
        if self._by_batch and fresh and len(fresh) >= self._limits.nightly_batch_least:
            people = [person for person in people if person.tries]
            try:
                sent = [name for name in [await self._batches.send(fresh)] if name]
            except NoBatchesError:
                logger.info("the gateway has no batches; everybody is asked about directly")
                self._by_batch = False
        await batch(self._ask_directly, people, self._limits)
        return sent

    async def _ask_directly(self, person: Person) -> None:
        if self._time_is_short():
            await self._coverage.wait_again(person)
            return
        async with self._coverage.alone(person):
            await self._write(person)

    async def _write(self, person: Person) -> None:
        missed: tuple[Outcome, str] | None = None
        for conversation in await self._coverage.unread(person):
            try:
                written = await self._writer.write(person.user_id, conversation.conversation_id)
            except MisfitError:
                missed = "skipped", "unreadable"
            except MainlineError as error:
                missed = "failed", error.kind
            else:
                missed = ("skipped", "passed_over") if written.passed_over else missed
        if missed:
            await self._coverage.missed(person, *missed)
        else:
            await self._coverage.settle(person, "covered")

    def _time_is_short(self) -> bool:
        return clock.monotonic() > self._until or self._seconds_left() < self._limits.nightly_reserve_s

    async def _begin(self) -> None:
        async with self._database.transaction() as transaction:
            row = await transaction.row(SQL["begin_run"])
            transaction.put(SQL["record_quiet_night"])
        publish(*run_measures(row["since_s"] if row else None))

    async def _sweep(self, *, at_once: bool) -> Json:
        async with self._database.transaction() as transaction:
            seconds = 0 if at_once else self._limits.sweep_h * HOUR_S
            if not await transaction.run(SQL["begin_sweeps"], {"seconds": seconds}):
                return {}
        return (await self._sweeps.run()).as_json()

    async def _leave(self) -> None:
        """Have the next tick go on."""
        async with self._database.transaction() as transaction:
            set_timer(transaction, NIGHTLY, NIGHTLY)


def run_measures(since_s: float | None) -> list[Measure]:
    """What the alarm on a pass that does not run looks at, with the hours since the run before where there was one."""
    measures = [Measure("NightlyRuns", 1, "Count")]
    if since_s is not None:
        measures.append(Measure("HoursSinceNightly", round(float(since_s) / HOUR_S, 2), "None"))
    return measures
