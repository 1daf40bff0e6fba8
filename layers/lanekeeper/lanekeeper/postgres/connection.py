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
    async def transaction(self, *, user_id: str | None = None, durable: bool = True) -> AsyncIterator[Transaction]:
        """A transaction in the name of one person, or of nobody.

        Row-level security shows the rows of ``user_id`` only; without one, no person's rows at all.
        With ``durable=False`` the commit does not wait for the disk: right for what can be made again.

        Raises:
            DatabaseUnreachableError: the connection could not be made, or broke.
        """
        async with self._turn:
            connection = await self._begin(user_id, durable)
            try:
                yield Transaction(connection)
                await connection.execute("commit")
            except BaseException as error:
                await self._roll_back(connection)
                if isinstance(error, psycopg.OperationalError) and connection.closed:
                    raise DatabaseUnreachableError(str(error)) from error
                raise

    async def read(self, *statements: LiteralString, user_id: str, parameters: Parameters = None) -> list[list[Row]]:
        """Read in the name of one person, in one round trip: the rows of each statement.

        The statements run in this order in one transaction. Each sees what was committed before it began, and may
        use the parameter ``user_id``.

        Raises:
            DatabaseUnreachableError: the connection could not be made, or broke twice.
        """
        # Several statements sent at once are one transaction to Postgres, so the person's name ends with them.
        name: LiteralString = "select set_config('lanekeeper.user_id', %(user_id)s, true)"
        async with self._turn:
            return await self._read("\n;\n".join((name, *statements)), {**(parameters or {}), "user_id": user_id})

    async def begin(self) -> Connection:
        """Open a transaction in nobody's name that stays open: the lane lock hangs on it.

        Raises:
            DatabaseUnreachableError: the connection could not be made.
        """
        return await self._begin(None, durable=True)

    async def roll_back(self) -> None:
        """End whatever transaction is open."""
        if self._connection is not None:
            await self._roll_back(self._connection)

    async def _begin(self, user_id: str | None, durable: bool) -> Connection:
        first: LiteralString = "begin; select set_config('lanekeeper.user_id', {user}, true)"
        if not durable:
            first += ", set_config('synchronous_commit', 'off', true)"
        statement = psycopg.sql.SQL(first).format(user=psycopg.sql.Literal(user_id or ""))
        for last_try in (False, True):
            connection = await self.connection()
            try:
                await connection.execute(statement)
            except psycopg.OperationalError as error:
                # A connection that died while the function slept: nothing has been sent yet, so ask again on a new one.
                await self.close()
                if last_try:
                    raise DatabaseUnreachableError(str(error)) from error
            except BaseException:
                # Cancelled halfway: the transaction may have begun.
                await self._roll_back(connection)
                raise
            else:
                return connection
        raise AssertionError("unreachable")

    async def _read(self, statements: LiteralString, parameters: Parameters) -> list[list[Row]]:
        for last_try in (False, True):
            connection = await self.connection()
            # Parameters are put into the text here: only so does Postgres take several statements at once.
            cursor = psycopg.AsyncClientCursor(connection, row_factory=dict_row)
            try:
                await cursor.execute(statements, parameters)
                return [await result.fetchall() async for result in cursor.results()][1:]
            except psycopg.OperationalError as error:
                if not connection.closed:
                    raise
                await self.close()
                if last_try:
                    raise DatabaseUnreachableError(str(error)) from error
            except BaseException:
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
