"""A worker's hold on one person's lane, and the fence that every write of it passes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from lanekeeper.errors import LaneLostError
from lanekeeper.lane.store import SQL
from lanekeeper.postgres import Database, Transaction


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
        """A transaction in the person's name that only commits while the lane is still held.

        The lane's row stays share-locked to the end, so the lane cannot be taken away in between. With
        ``durable=False`` the commit does not wait for the disk.

        Raises:
            LaneLostError: another worker has taken the lane, or the person was deleted.
        """
        async with database.transaction(user_id=self.user_id, durable=durable) as transaction:
            await self.check(transaction)
            yield transaction

    async def check(self, transaction: Transaction) -> None:
        """Refuse unless the lane is still held.

        Raises:
            LaneLostError: it is not.
        """
        if await transaction.row(SQL["check_hold"], self.key) is None:
            raise LaneLostError

    async def release(self, transaction: Transaction) -> None:
        """Give the lane back as part of a transaction, armed again when more messages wait.

        Raises:
            LaneLostError: it is no longer ours to give.
        """
        if await transaction.row(SQL["lock_lane"], self.key) is None:
            raise LaneLostError
        await transaction.run(SQL["release_lane"], self.key)

    async def postpone(self, transaction: Transaction) -> None:
        """Give the lane back untouched, to be tried again in a second."""
        await transaction.run(SQL["postpone_lane"], self.key)
