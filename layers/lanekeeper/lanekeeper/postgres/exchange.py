"""What goes over one connection at a time: statements sent together, and their results."""

import select
from collections.abc import Sequence

import psycopg

from lanekeeper.postgres.prepared import Prepared
from lanekeeper.postgres.transaction import Connection, Result, Row, Statement
from lanekeeper.postgres.wording import wordings


async def exchange(connection: Connection, prepared: Prepared, statements: Sequence[Statement]) -> list[Result]:
    """Send statements in one round trip; what each gave, of several in one text the last.

    Raises:
        psycopg.Error: one was refused, or the connection broke.
    """
    words: list[bytes] = []
    last_of: list[int] = []
    for statement in statements:
        words += [prepared.worded(one, statement.parameters or {}) for one in wordings(statement.text)]
        last_of.append(len(words) - 1)
    cursor = connection.cursor()
    # Parameters were put into the text here: only so does Postgres take several statements at once.
    await cursor.execute(b"\n;\n".join(words))
    results = [await _result(cursor)]
    while cursor.nextset():
        results.append(await _result(cursor))
    return [results[number] for number in last_of]


def ended(connection: Connection) -> bool:
    """Whether an idle connection was ended by the other side: its farewell lies unread on the socket."""
    unread = select.poll()
    unread.register(connection.fileno(), select.POLLIN)
    try:
        while unread.poll(0):
            connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return bool(connection.pgconn.status != psycopg.pq.ConnStatus.OK)


async def _result(cursor: psycopg.AsyncCursor[Row]) -> Result:
    has_rows = cursor.pgresult is not None and cursor.pgresult.nfields
    return Result(await cursor.fetchall() if has_rows else [], cursor.rowcount)
