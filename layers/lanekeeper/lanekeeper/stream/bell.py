"""Hears from Postgres that a turn has new chunks, on the connection that also reads them."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import LiteralString

import psycopg
from psycopg import sql

from lanekeeper.errors import DatabaseUnreachableError
from lanekeeper.postgres import Database
from lanekeeper.postgres.transaction import Connection, Row

UNLISTEN: LiteralString = "unlisten *"

Farewell = Callable[..., Awaitable[object]]

logger = logging.getLogger(__name__)


class Ear:
    """What one stream has heard of its turn.

    Args:
        turn_id: the turn.
        most: chunks that it is told of and has not come to send yet.
    """

    def __init__(self, turn_id: str, most: int) -> None:
        self._most = most
        self.turn_id = turn_id
        self._heard = 0
        self._told: dict[int, str] = {}
        self._deaf = False
        self._stirred = asyncio.Event()

    def turn_to(self, turn_id: str) -> None:
        """Hear of another turn from now on."""
        self.turn_id, self._heard = turn_id, 0
        self._told.clear()

    def hear(self, seq: int, chunks: Sequence[str]) -> None:
        """The turn has chunks up to ``seq``; these are the last of them."""
        self._heard = max(self._heard, seq)
        if len(self._told) + len(chunks) > self._most:
            self._told.clear()  # its stream is slow: it will read them
        else:
            self._told.update(enumerate(chunks, seq - len(chunks) + 1))
        self._stirred.set()

    def take(self, after: int) -> list[Row]:
        """The chunks that were told and follow ``after`` without a gap, as rows; then no other is kept."""
        told, self._told = self._told, {}
        rows: list[Row] = []
        while (chunk := told.get(after + len(rows) + 1)) is not None:
            rows.append({"seq": after + len(rows) + 1, "chunk": chunk})
        return rows

    def deafen(self) -> None:
        """Nothing is heard any more."""
        self._deaf = True
        self._stirred.set()

    async def wait(self, after: int, seconds: float) -> None:
        """Until the turn has chunks beyond ``after``, nothing can be heard any more, or the seconds are over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._heard <= after and not self._deaf:
                    self._stirred.clear()
                    await self._stirred.wait()
        self._deaf = False


class Bell:
    """LISTENs while a stream wants to be woken, and only then: a sleeping process must not hold up the queue.

    Each turn rings on a channel of its own, named by its id: nobody is woken by other people's replies. What is rung
    for comes along unless it is long (``ring`` in the replies' statements), and then nothing need be read.
    Waiting leaves the connection free for reading. A second descriptor of its socket is watched, since psycopg
    watches the first one during its own waits.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ears: set[Ear] = set()
        self._channels: set[str] = set()
        self._connection: Connection | None = None
        self._descriptor = -1
        self._changing = asyncio.Lock()

    async def listen(self, ear: Ear) -> bool:
        """Have an ear hear from now on, if that is possible; whether it is. What was committed before is not heard."""
        self._ears.add(ear)
        async with self._changing:
            if self._connection is not None and self._connection.closed:
                self._let_go()
            if ear.turn_id in self._channels:
                return True
            try:
                await self._database.at_once(_listen(ear.turn_id))
                connection = await self._database.connection()
            except (DatabaseUnreachableError, psycopg.Error) as error:
                logger.info("cannot listen, so the stream polls: %s", type(error).__name__)
                return False
            if connection is not self._connection:
                self._let_go()
                self._take_up(connection)
            self._channels.add(ear.turn_id)
            return True

    async def rest(self, ear: Ear, farewell: Farewell | None = None) -> None:
        """An ear need not hear any more. With the last one, listening ends.

        A ``farewell`` sends what its stream has to say at its end, together with the statements that it is given.
        """
        self._ears.discard(ear)
        async with self._changing:
            ends = not self._ears and self._connection is not None
            if ends:
                self._let_go()
            elif farewell is None:
                return
            try:
                await (farewell or self._database.at_once)(*([UNLISTEN] if ends else []))
            except BaseException:
                if ends:
                    # Asleep with a LISTEN, this process would hold up the queue for everybody.
                    await self._database.close()
                raise

    def _take_up(self, connection: Connection) -> None:
        self._connection = connection
        connection.add_notify_handler(self._heard)
        self._descriptor = os.dup(connection.fileno())
        asyncio.get_running_loop().add_reader(self._descriptor, self._readable)

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.remove_notify_handler(self._heard)
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._connection = None
        self._channels.clear()
        for ear in self._ears:
            ear.deafen()

    def _heard(self, notify: psycopg.Notify) -> None:
        seq, *chunks = notify.payload.split("\n")
        for ear in self._ears:
            if ear.turn_id == notify.channel and seq.isdecimal():
                ear.hear(int(seq), chunks)

    def _readable(self) -> None:
        connection = self._connection
        if connection is None or connection.lock.locked():
            return  # somebody reads: psycopg hands over what it finds on the way
        try:
            connection.pgconn.consume_input()
        except psycopg.OperationalError:
            self._let_go()
            return
        while (message := connection.pgconn.notifies()) is not None:
            self._heard(psycopg.Notify(message.relname.decode(), message.extra.decode(), message.be_pid))


def _listen(channel: str) -> LiteralString:
    return "listen " + sql.Identifier(channel).as_string(None).replace("%", "%%")
