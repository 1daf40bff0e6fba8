"""A worker's hold on one person's lane, and the fence that every write of it passes."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import LiteralString

import psycopg

from lanekeeper.errors import LaneLostError
from lanekeeper.lane.store import SQL
from lanekeeper.postgres import Database, Transaction
from lanekeeper.types import Json

# What lanekeeper.hold_lane raises.
LOST = "LK001"
# Gives a lane back, armed again when more messages wait. Two statements, each with a snapshot of its own.
RELEASE = (SQL["lock_lane"], SQL["release_lane"])


@dataclass(frozen=True, slots=True)
class Hold:
    """One worker's hold: whose lane, and which count of holders it is."""

    user_id: str
    epoch: int

    @property
    def key(self) -> dict[str, str | int]:
        """The parameters that name this hold in a statement."""
        return {"user_id": self.user_id, "epoch": self.epoch}

    @asynccontextmanager
    async def transaction(self, database: Database, *, durable: bool = True) -> AsyncIterator[Transaction]:
        """A transaction in the person's name that only goes through while the lane is still held.

        With ``durable=False`` the commit does not wait for the disk.

        Raises:
            LaneLostError: another worker has taken the lane, or the person was deleted.
        """
        with lost_lanes():
            async with database.transaction(
                user_id=self.user_id, durable=durable, opening=SQL["hold_lane"], parameters=self.key
            ) as transaction:
                yield transaction

    async def at_once(
        self, database: Database, *statements: LiteralString, parameters: Json, durable: bool = True
    ) -> "Told":
        """The same in one round trip, for statements that bear being repeated.

        Raises:
            LaneLostError: as for a transaction.
        """
        with lost_lanes():
            held, *results = await database.at_once(
                SQL["hold_lane"],
                *statements,
                user_id=self.user_id,
                parameters={**parameters, **self.key},
                durable=durable,
            )
        return Told(held[0]["stop_turn_id"], results)

    async def release(self, database: Database) -> None:
        """Give the lane back.

        Raises:
            LaneLostError: it is no longer ours to give.
        """
        await self.at_once(database, *RELEASE, parameters={})

    async def postpone(self, transaction: Transaction, seconds: float) -> None:
        """Give the lane back untouched, to be tried again in a second."""
        await transaction.run(SQL["postpone_lane"], {**self.key, "seconds": seconds})


@dataclass(frozen=True, slots=True)
class Told:
    """What came back: which turn the person wants stopped, and the rows of each statement."""

    stop_turn_id: str | None
    results: list[list[Json]]


@contextmanager
def lost_lanes() -> Iterator[None]:
    """Turns the fence's refusal into the error that it means."""
    try:
        yield
    except psycopg.DatabaseError as error:
        if error.sqlstate == LOST:
            raise LaneLostError from error
        raise
