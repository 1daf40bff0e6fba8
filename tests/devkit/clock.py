"""The movable clock: one offset for SQL, for every function's process and for the tokens."""

import mmap
import struct
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg


class Clock:
    """Seconds by which the local system's present is ahead of the real one.

    Processes read them from ``file``; SQL asks ``lanekeeper.now()``, which is replaced. Waits and timeouts stay real.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        if not file.exists():
            file.write_bytes(struct.pack("<d", 0.0))
        with file.open("r+b") as opened:
            self._memory = mmap.mmap(opened.fileno(), 8)

    @property
    def offset_s(self) -> float:
        """How far ahead it is."""
        return float(struct.unpack_from("<d", self._memory)[0])

    def time(self) -> float:
        """The present moment, as seconds since 1970."""
        return time.time() + self.offset_s

    def now(self) -> datetime:
        """The present moment, in UTC."""
        return datetime.now(UTC) + timedelta(seconds=self.offset_s)

    async def move(self, connection: psycopg.AsyncConnection[Any], offset_s: float) -> None:
        """Be this far ahead from now on: first in SQL, then in the processes."""
        await connection.execute(
            "create or replace function lanekeeper.now() returns timestamptz language sql stable parallel safe "
            f"as $$ select clock_timestamp() + interval '{offset_s!r} seconds' $$".encode()
        )
        struct.pack_into("<d", self._memory, 0, offset_s)
