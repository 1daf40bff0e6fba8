"""Writes chunks as they come, gathered for a moment, each under the next number of its turn."""

import asyncio

from lanekeeper import clock
from lanekeeper.lane import Hold
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database
from lanekeeper.replies.outbox import SQL, chunk_parameters
from lanekeeper.types import Json

# Pieces of one text: those that wait together become one chunk.
DELTAS = frozenset({"text-delta", "reasoning-delta"})


class ChunkWriter:
    """The stored chunks of one turn.

    Args:
        database: a connection of its own, so that text flows while the turn's other work goes on.
        hold: the lane's hold, checked by every write.
        turn_id: whose chunks these are.
        limits: how long text is gathered.
    """

    def __init__(self, database: Database, hold: Hold, turn_id: str, limits: Limits) -> None:
        self._database = database
        self._hold = hold
        self._turn_id = turn_id
        self._batch_s = limits.chunk_batch_ms / 1000
        self._pending: list[Json] = []
        self._flushed_at = 0.0
        self._flush_task: asyncio.Task[None] | None = None
        self._broken: Exception | None = None
        self._writing = asyncio.Lock()
        self._seq = 0
        self.stop_wanted = asyncio.Event()

    @property
    def next_seq(self) -> int:
        """The number of the next chunk. All that was put must be flushed."""
        return self._seq + 1

    async def restore(self) -> list[Json]:
        """Go on after the chunks that are stored, and give them. What was put and not written yet is dropped."""
        self._pending.clear()
        if self._flush_task is not None:
            await asyncio.wait({self._flush_task})
            self._flush_task = None
        self._broken = None
        (rows,) = await self._database.at_once(
            SQL["chunks"], user_id=self._hold.user_id, parameters={"turn_id": self._turn_id}
        )
        self._seq = rows[-1]["seq"] if rows else 0
        return [row["chunk"] for row in rows]

    def put(self, chunk: Json) -> None:
        """Have a chunk written by the next flush."""
        if chunk["type"] in DELTAS and self._pending:
            last = self._pending[-1]
            if last["type"] == chunk["type"] and last["id"] == chunk["id"]:
                last["delta"] += chunk["delta"]
                return
        self._pending.append(dict(chunk))

    def flush_soon(self) -> None:
        """Have everything written within the batch time.

        Raises:
            Exception: what an earlier write failed with.
        """
        if self._broken is not None:
            raise self._broken
        if self._flush_task is None or self._flush_task.done():
            wait = self._flushed_at + self._batch_s - clock.monotonic()
            self._flush_task = asyncio.create_task(self._flush_after(wait))

    async def flush(self) -> None:
        """Write all that was put.

        Raises:
            LaneLostError: the lane was taken away.
        """
        await self._write()
        if self._broken is not None:
            raise self._broken

    async def _flush_after(self, wait: float) -> None:
        await asyncio.sleep(max(wait, 0))
        try:
            await self._write()
        except Exception as error:  # noqa: BLE001 - raised to whoever says or flushes something next
            self._broken = error

    async def _write(self) -> None:
        async with self._writing:
            if self._pending:
                # A delta that comes while this is written begins a chunk of its own.
                self._flushed_at = clock.monotonic()
                chunks, self._pending = self._pending, []
                await self._append(chunks)

    async def _append(self, chunks: list[Json]) -> None:
        # Chunks can be made again from the recorded steps, so their commit does not wait for the disk.
        told = await self._hold.at_once(
            self._database,
            SQL["append_chunks"],
            SQL["ring"],
            parameters=chunk_parameters(self._turn_id, self._seq + 1, chunks),
            durable=False,
        )
        self._seq += len(chunks)
        if told.stop_turn_id == self._turn_id:
            self.stop_wanted.set()
