"""What can be done inside one transaction."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, LiteralString, NamedTuple

import psycopg

Row = dict[str, Any]
Connection = psycopg.AsyncConnection[Row]
Parameters = Mapping[str, Any] | None

NAME_PERSON: LiteralString = "select set_config('lanekeeper.user_id', %(user_id)s, true)"


class Statement(NamedTuple):
    """A statement, or several in one text, with the parameters that it names."""

    text: LiteralString
    parameters: Parameters = None


COMMIT = Statement("commit")


class Result(NamedTuple):
    """What a statement gave: its rows, and how many it touched."""

    rows: list[Row]
    touched: int


Send = Callable[[Sequence[Statement]], Awaitable[list[Result]]]


class Transaction:
    """Runs statements and reads their rows. What was only put down travels with the next one, or with the commit.

    The beginning travels with the first statement: a transaction that does nothing sends nothing.

    Args:
        connection: what it runs on.
        send: sends statements together; what each of them gave.
        opening: what comes before the first statement.
    """

    def __init__(self, connection: Connection, send: Send, opening: Sequence[Statement]) -> None:
        self.connection = connection
        self._send = send
        self._unsent = list(opening)
        self._beginning = len(opening)
        self._begun = False
        self._afterwards: list[Callable[[], None]] = []

    def put(self, statement: LiteralString, parameters: Parameters = None) -> None:
        """Put a statement down whose answer nobody needs. What is wrong with it shows when it is sent."""
        self._unsent.append(Statement(statement, parameters))

    def act_for(self, user_id: str) -> None:
        """From here to the end of the transaction, act in the name of one person."""
        self.put(NAME_PERSON, {"user_id": user_id})

    def once_committed(self, act: Callable[[], None]) -> None:
        """Do something as soon as the transaction is known to be committed; never, when that is not known."""
        self._afterwards.append(act)

    async def run(self, statement: LiteralString, parameters: Parameters = None) -> int:
        """Run a statement; the number of rows it touched."""
        return (await self._last(statement, parameters)).touched

    async def rows(self, statement: LiteralString, parameters: Parameters = None) -> list[Row]:
        """Run a statement; all its rows."""
        return (await self._last(statement, parameters)).rows

    async def row(self, statement: LiteralString, parameters: Parameters = None) -> Row | None:
        """Run a statement; its first row, or None."""
        rows = await self.rows(statement, parameters)
        return rows[0] if rows else None

    async def last_row(self, statements: LiteralString, parameters: Parameters = None) -> Row | None:
        """Run several statements, each with a snapshot of its own, in one round trip; the last one's first row."""
        return await self.row(statements, parameters)

    async def commit(self) -> None:
        """Send what was put down, and end the transaction."""
        if self._begun or len(self._unsent) > self._beginning:
            self._unsent.append(COMMIT)
            await self._sent()
        for act in self._afterwards:
            act()

    async def _last(self, statement: LiteralString, parameters: Parameters) -> Result:
        self.put(statement, parameters)
        return (await self._sent())[-1]

    async def _sent(self) -> list[Result]:
        self._begun = True
        unsent, self._unsent = self._unsent, []
        return await self._send(unsent)
