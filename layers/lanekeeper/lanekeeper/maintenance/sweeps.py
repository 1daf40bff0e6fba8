"""What is kept for a while goes when its time is over."""

from dataclasses import asdict, dataclass

from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__)


@dataclass(frozen=True, slots=True)
class Swept:
    """What one round removed, in rows."""

    chunks: int
    traces: int
    verdicts: int
    requests: int
    keys: int
    uploads: int
    notes: int

    def as_json(self) -> Json:
        """For the log and the invocation's answer."""
        return asdict(self)


class Sweeps:
    """Removes what has been kept for long enough. Safe to repeat and to die at any point.

    Args:
        database: a connection of the maintenance role.
        limits: how long things are kept.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits

    async def run(self) -> Swept:
        """Do one round."""
        return Swept(
            chunks=await self._sweep("sweep_chunks", self._limits.chunks_kept_h),
            traces=await self._sweep("sweep_traces", self._limits.traces_kept_h),
            verdicts=await self._sweep("sweep_verdicts", self._limits.traces_kept_h),
            requests=await self._sweep("sweep_requests", self._limits.requests_kept_h),
            keys=await self._sweep("sweep_keys", self._limits.keys_kept_h),
            # Each carries the end of its own time.
            uploads=await self._sweep("sweep_uploads", 0),
            notes=await self._sweep("sweep_notes", 0),
        )

    async def _sweep(self, statement: str, hours: float) -> int:
        async with self._database.transaction() as transaction:
            row = await transaction.row(SQL[statement], {"seconds": hours * 3600})
        return int(row["swept"]) if row else 0
