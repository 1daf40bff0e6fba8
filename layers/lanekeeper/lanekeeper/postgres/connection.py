"""One connection that a function keeps between invocations, and the transactions on it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row

from lanekeeper.errors import DatabaseUnreachableError

Row = dict[str, Any]
Connection = psycopg.AsyncConnection[Row]
Parameters = Mapping[str, Any] | None
Dial = Callable[[], Mapping[str, Any]]

# A frozen or lost peer sends no FIN: both ends notice by themselves within half a minute.
KEEPALIVE: dict[str, Any] = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,
    "connect_timeout": 5,
}
SERVER_SIDE = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2"

logger = logging.getLogger(__name__)


class Transaction:
    """What can be done inside one transaction: run a statement, read its rows."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def act_for(self, user_id: str) -> None:
        """From here to the end of the transaction, act in the name of one person."""
        await self.connection.execute("select set_config('lanekeeper.user_id', %s, true)", [user_id])

    async def run(self, statement: LiteralString, parameters: Parameters = None) -> int:
        """Run a statement; the number of rows it touched."""
        return (await self.connection.execute(statement, parameters)).rowcount

    async def rows(self, statement: LiteralString, parameters: Parameters = None) -> list[Row]:
        """Run a statement; all its rows."""
        return await (await self.connection.execute(statement, parameters)).fetchall()

    async def row(self, statement: LiteralString, parameters: Parameters = None) -> Row | None:
        """Run a statement; its first row, or None."""
        return await (await self.connection.execute(statement, parameters)).fetchone()

    async def last_row(self, statements: LiteralString, parameters: Parameters = None) -> Row | None:
        """Run several statements, each with a snapshot of its own, in one round trip; the last one's first row."""
        # The server takes several statements at once only when the parameters are put in on this side.
        cursor = psycopg.AsyncClientCursor(self.connection)
        await cursor.execute(statements, parameters)
        while cursor.nextset():
            pass
        return await cursor.fetchone()


def _named(durable: bool) -> tuple[LiteralString, ...]:
    """Names the person, and says whether the commit waits for the disk."""
    name: LiteralString = "select set_config('lanekeeper.user_id', %(user_id)s, true)"
    return (name,) if durable else (name + ", set_config('synchronous_commit', 'off', true)",)


class Database:
    """One connection, dialled when first needed and again whenever it was found dead.

    Args:
        dial: gives libpq connection parameters anew for each dialling (an IAM token lives 15 minutes).
        name: shown in ``pg_stat_activity``.
        idle_in_transaction_s: after how long the server ends a transaction that does nothing.
    """

    def __init__(self, dial: Dial, name: str, *, idle_in_transaction_s: int = 60) -> None:
        self._dial = dial
        self._name = name
        self._options = f"{SERVER_SIDE} -c idle_in_transaction_session_timeout={idle_in_transaction_s}s"
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()

    async def connection(self) -> Connection:
        """The live connection. It is in autocommit; transactions are begun by name.

        Raises:
            DatabaseUnreachableError: no connection could be made.
        """
        if self._connection is None or self._connection.closed or self._connection.broken:
            try:
                self._connection = await psycopg.AsyncConnection.connect(
                    **{**KEEPALIVE, **self._dial()},
                    autocommit=True,
                    row_factory=dict_row,
                    # Prepared statements do not survive a pooler between us and Postgres.
                    prepare_threshold=None,
                    application_name=self._name,
                    options=self._options,
                )
            except psycopg.OperationalError as error:
                raise DatabaseUnreachableError(str(error)) from error
        return self._connection

    @asynccontextmanager
    async def transaction(
        self,
        *,
        user_id: str | None = None,
        durable: bool = True,
        opening: LiteralString = "",
        parameters: Parameters = None,
    ) -> AsyncIterator[Transaction]:
        """A transaction in the name of one person, or of nobody.

        Row-level security shows the rows of ``user_id`` only; without one, no person's rows at all.
        With ``durable=False`` the commit does not wait for the disk: right for what can be made again.
        An ``opening`` statement travels with the beginning.

        Raises:
            DatabaseUnreachableError: the connection could not be made, or broke.
        """
        async with self._turn:
            await self._send(("begin", *_named(durable), opening), user_id, parameters)
            connection = await self.connection()
            try:
                yield Transaction(connection)
                await connection.execute("commit")
            except BaseException as error:
                await self._roll_back(connection)
                if isinstance(error, psycopg.OperationalError) and connection.closed:
                    raise DatabaseUnreachableError(str(error)) from error
                raise

    async def at_once(
        self,
        *statements: LiteralString,
        user_id: str | None = None,
        parameters: Parameters = None,
        durable: bool = True,
    ) -> list[list[Row]]:
        """One transaction in one round trip: the rows of each statement.

        The statements run in this order, each sees what was committed before it began, and may use the parameter
        ``user_id``. On a connection that turns out to be dead they are sent once more, so they must bear a repeat.

        Raises:
            DatabaseUnreachableError: the connection could not be made, or broke twice.
        """
        # Several statements sent at once are one transaction to Postgres, so the person's name ends with them.
        async with self._turn:
            return await self._send((*_named(durable), *statements), user_id, parameters)

    async def begin(self, statement: LiteralString, parameters: Parameters = None) -> Row | None:
        """Open a transaction in nobody's name that stays open, with a first statement; that one's row.

        Raises:
            DatabaseUnreachableError: the connection could not be made.
        """
        rows = (await self._send(("begin", *_named(durable=True), statement), None, parameters))[-1]
        return rows[0] if rows else None

    async def roll_back(self) -> None:
        """End whatever transaction is open."""
        if self._connection is not None:
            await self._roll_back(self._connection)

    async def _send(
        self, statements: tuple[LiteralString, ...], user_id: str | None, parameters: Parameters
    ) -> list[list[Row]]:
        """Send statements together; the rows of each that gives any, but for the naming of the person."""
        text = "\n;\n".join(statement for statement in statements if statement)
        for last_try in (False, True):
            connection = await self.connection()
            # Parameters are put into the text here: only so does Postgres take several statements at once.
            cursor = psycopg.AsyncClientCursor(connection, row_factory=dict_row)
            try:
                await cursor.execute(text, {**(parameters or {}), "user_id": user_id or ""})
                return [await result.fetchall() async for result in cursor.results() if result.description][1:]
            except psycopg.OperationalError as error:
                # A connection that died while the function slept.
                if not connection.closed:
                    await self._roll_back(connection)
                    raise
                await self.close()
                if last_try:
                    raise DatabaseUnreachableError(str(error)) from error
            except BaseException:
                # Refused, or cancelled halfway: the transaction may have begun.
                await self._roll_back(connection)
                raise
        raise AssertionError("unreachable")

    async def _roll_back(self, connection: Connection) -> None:
        if connection.closed or connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE:
            return
        try:
            if connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                # A cancelled wait leaves an answer on the wire: the connection cannot be used again.
                await self.close()
            else:
                await connection.execute("rollback")
        except psycopg.Error:
            await self.close()

    async def close(self) -> None:
        """Close the connection. The next use dials again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def abandon(self) -> None:
        """Drop the connection at once, without a word to the server. The next use dials again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.pgconn.finish()
