"""The lane lock: an advisory lock that lives exactly as long as one connection's open transaction."""

from lanekeeper.lane.hold import Hold
from lanekeeper.lane.store import SQL
from lanekeeper.postgres import Database


class LaneLock:
    """Holds a person's advisory lock for a whole turn, in a transaction of its own that writes nothing.

    It needs a connection to itself: a lock taken on an autocommit connection guards nothing, and one taken in
    the turn's own transactions would end with the first of them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, hold: Hold) -> bool:
        """Take the lock of the lane's person without waiting; False when another still has it.

        Raises:
            DatabaseUnreachableError: no connection could be made.
        """
        await self.drop()
        row = await self._database.begin(SQL["try_lane_lock"], {"owner": hold.user_id})
        if row is None or not row["locked"]:
            await self.drop()
            return False
        return True

    async def drop(self) -> None:
        """End the transaction and with it the lock. A connection that cannot is closed, which does the same."""
        await self._database.roll_back()
