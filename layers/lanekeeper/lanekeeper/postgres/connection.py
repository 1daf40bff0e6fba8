"""One connection that a function keeps between invocations, and the transactions on it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row

from lanekeeper.errors import DatabaseUnreachableError
from lanekeeper.postgres.exchange import ended, exchange
from lanekeeper.postgres.prepared import Prepared
from lanekeeper.postgres.transaction import NAME_PERSON, Connection, Parameters, Result, Row, Statement, Transaction

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
BEGIN = Statement("begin")
NAME_PERSON_AND_NOT_WAIT: LiteralString = NAME_PERSON + ", set_config('synchronous_commit', 'off', true)"


class Database:
    """One connection, dialled when first needed and again whenever it was found dead.

    Args:
        dial: gives libpq connection parameters anew for each dialling (an IAM token lives 15 minutes).
        name: shown in ``pg_stat_activity``.
        idle_in_transaction_s: after how long the server ends a transaction that does nothing.
        pooled: whether a pooler stands between, so that nothing may be prepared on the server.
    """

    def __init__(self, dial: Dial, name: str, *, idle_in_transaction_s: int = 60, pooled: bool = False) -> None:
        self._dial = dial
        self._name = name
        self._options = f"{SERVER_SIDE} -c idle_in_transaction_session_timeout={idle_in_transaction_s}s"
        self._pooled = pooled
        self._connection: Connection | None = None
        self._prepared: Prepared | None = None
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
                    # What is prepared is prepared by name, here and not by the driver.
                    prepare_threshold=None,
                    application_name=self._name,
                    options=self._options,
                )
            except psycopg.OperationalError as error:
                raise DatabaseUnreachableError(str(error)) from error
            self._prepared = Prepared(self._connection, wanted=not self._pooled)
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
            connection = await self._ready()
            begin = [BEGIN, *_named(user_id, durable=durable)]
            if opening:
                begin.append(Statement(opening, parameters))
            transaction = Transaction(connection, self._exchange, begin)
            try:
                yield transaction
                await transaction.commit()
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
        given = {**(parameters or {}), "user_id": user_id or ""}
        sent = [*_named(user_id, durable=durable), *(Statement(statement, given) for statement in statements)]
        async with self._turn:
            return [result.rows for result in (await self._send(sent))[1:]]

    async def begin(self, statement: LiteralString, parameters: Parameters = None) -> Row | None:
        """Open a transaction in nobody's name that stays open, with a first statement; that one's row.

        Raises:
            DatabaseUnreachableError: the connection could not be made.
        """
        rows = (await self._send([BEGIN, *_named(None), Statement(statement, parameters)]))[-1].rows
        return rows[0] if rows else None

    async def roll_back(self) -> None:
        """End whatever transaction is open."""
        if self._connection is not None:
            await self._roll_back(self._connection)

    async def _ready(self) -> Connection:
        """A connection on which a transaction may begin, with all prepared that it has learned meanwhile."""
        connection = await self.connection()
        if ended(connection):
            await self.close()
            connection = await self.connection()
        if self._prepared is not None and self._prepared.waiting:
            try:
                await self._prepared.prepare()
            except psycopg.OperationalError:
                await self.close()
                connection = await self.connection()
        return connection

    async def _send(self, statements: Sequence[Statement]) -> list[Result]:
        """Send statements together that begin a transaction, again when the connection turns out to be dead."""
        for last_try in (False, True):
            connection = await self._ready()
            try:
                return await self._exchange(statements)
            except psycopg.OperationalError as error:
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

    async def _exchange(self, statements: Sequence[Statement]) -> list[Result]:
        """Send statements in one round trip; what each gave, of several in one text the last.

        Where a migration has changed what a prepared statement gives, those that begin a transaction are sent once
        more in full: all that came with the refused one was undone. Inside a transaction the refusal is raised.
        """
        if (connection := self._connection) is None or (prepared := self._prepared) is None:
            raise psycopg.OperationalError("the connection was given up")
        begins = connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE
        try:
            return await exchange(connection, prepared, statements)
        except psycopg.errors.FeatureNotSupported:
            if not begins or not prepared.has_any:
                await self.close()
                raise
            await self._roll_back(connection)
            await prepared.forget()
        return await exchange(connection, prepared, statements)

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


def _named(user_id: str | None, *, durable: bool = True) -> tuple[Statement]:
    """Names the person, and says whether the commit waits for the disk."""
    return (Statement(NAME_PERSON if durable else NAME_PERSON_AND_NOT_WAIT, {"user_id": user_id or ""}),)
