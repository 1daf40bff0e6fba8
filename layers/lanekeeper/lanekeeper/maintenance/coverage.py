"""Who is to be covered in which night, and what became of them (W3)."""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Literal

from lanekeeper.errors import DatabaseUnreachableError
from lanekeeper.limits import Limits
from lanekeeper.metrics import Measure, publish
from lanekeeper.postgres import Database, Statements
from lanekeeper.redact import place
from lanekeeper.types import Json

SQL = Statements.beside(__file__, "nightly.sql")

logger = logging.getLogger(__name__)

Outcome = Literal["covered", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose turn it is. ``tries``: how often it came to nothing in this run."""

    night: date
    user_id: str
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """A conversation that holds something of its person's that nobody has read, and the place where it ends."""

    conversation_id: str
    last: int


class Coverage:
    """The list of people, night by night. A person is on it once for each night on which they wrote.

    Args:
        database: a connection of the maintenance role.
        limits: how many are taken at once, and how often one is tried.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits
        self._settled: Counter[Outcome] = Counter()

    async def enqueue(self, *, open_days: bool) -> int:
        """Put everybody on the list whose turn it is; how many they are.

        Args:
            open_days: days that have not ended count as well, and whoever failed is tried again at once.
        """
        retry = {"retry_s": self._limits.nightly_retry_s, "attempts": self._limits.nightly_attempts}
        async with self._database.transaction() as transaction:
            row = await transaction.row(SQL["enqueue"], {"open_days": open_days, **retry})
        return int(row["due"]) if row else 0

    async def claim(self, at_most: int) -> list[Person]:
        """Take people who wait. Nobody else gets them for a while."""
        parameters = {"at_most": at_most, "lease_s": self._limits.nightly_lease_s}
        async with self._database.transaction() as transaction:
            rows = await transaction.rows(SQL["claim"], parameters)
        return [Person(**row) for row in rows]

    async def waits(self) -> bool:
        """Whether anybody waits to be taken."""
        async with self._database.transaction() as transaction:
            row = await transaction.row(SQL["waiting"])
        return bool(row and row["waiting"])

    async def unread(self, person: Person) -> list[Unread]:
        """The conversations in which they wrote something that nobody has read for notes."""
        async with self._database.transaction(user_id=person.user_id) as transaction:
            rows = await transaction.rows(SQL["unread_conversations"], {"user_id": person.user_id})
        return [Unread(row["id"], row["last"]) for row in rows]

    async def settle(self, person: Person, outcome: Outcome, reason: str | None = None) -> None:
        """Put down what became of somebody, and count it in their night."""
        parameters = _key(person) | {"state": outcome, "reason": reason}
        async with self._database.transaction(user_id=person.user_id) as transaction:
            if await transaction.run(SQL["settle"], parameters):
                self._settled[outcome] += 1

    async def missed(self, person: Person, outcome: Outcome, reason: str) -> None:
        """Somebody could not be covered: they wait for another try, or where that was the last one are settled."""
        if person.tries + 1 >= self._limits.nightly_tries:
            await self.settle(person, outcome, reason)
        else:
            await self.wait_again(person, reason, failed=True)

    @asynccontextmanager
    async def alone(self, person: Person) -> AsyncIterator[None]:
        """Let whatever goes wrong about one person be that person's affair: the others are gone on with.

        Raises:
            DatabaseUnreachableError: the database did not answer, so nobody can be gone on with.
        """
        try:
            yield
        except DatabaseUnreachableError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it was, the others go on
            # Neither whose it is nor what the error says: that may be anything.
            logger.error("somebody could not be seen to in the night: %s", place(error))
            await self.missed(person, "failed", "error")

    async def wait_again(self, person: Person, reason: str | None = None, *, failed: bool = False) -> None:
        """Let somebody wait to be taken again, with or without a failure to their account."""
        async with self._database.transaction(user_id=person.user_id) as transaction:
            transaction.put(SQL["wait_again"], _key(person) | {"reason": reason, "failures": int(failed)})

    def told(self) -> Counter[Outcome]:
        """What became of people since this was last asked. The alarms are told too."""
        settled, self._settled = self._settled, Counter()
        if settled:
            publish(*measures(settled))
        return settled


def measures(settled: Mapping[Outcome, int]) -> list[Measure]:
    """What the alarms on people whom a night did not cover look at."""
    return [Measure(f"Nightly{name.capitalize()}", settled.get(name, 0), "Count") for name in _OUTCOMES]


_OUTCOMES: tuple[Outcome, ...] = ("covered", "skipped", "failed")


def _key(person: Person) -> Json:
    return {"night": person.night, "user_id": person.user_id}
