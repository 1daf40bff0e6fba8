"""The statements that one connection has prepared: planned by Postgres once, from then on only executed."""

import itertools
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.adapt import Transformer

from lanekeeper.postgres.wording import Wording


class Prepared:
    """Words a connection's statements: by the name under which they are prepared there, or in full.

    A statement that came once is prepared when it may come again. That waits until no transaction is open, since a
    statement that Postgres cannot prepare must not undo anything; such a one is sent in full from then on.

    Args:
        connection: whose statements.
        wanted: whether to prepare any. Not through a pooler, behind which the next statement may meet a server
            process that knows nothing of it (B024).
    """

    def __init__(self, connection: psycopg.AsyncConnection[Any], *, wanted: bool) -> None:
        self._connection = connection
        self._quote = Transformer(connection).as_literal
        self._wanted = wanted
        self._names: dict[Wording, bytes | None] = {}
        self._new: list[Wording] = []
        self._numbers = itertools.count(1)

    def worded(self, statement: Wording, parameters: Mapping[str, Any]) -> bytes:
        """The statement as it is sent, its parameters put in."""
        if name := self._names.get(statement):
            values = b",".join([self._quote(parameters[key]) for key in statement.names])
            return b"execute %s(%s)" % (name, values) if values else b"execute " + name
        if self._wanted and statement.preparable and statement not in self._names:
            self._names[statement] = None
            self._new.append(statement)
        return statement.filled_in(parameters, self._quote)

    @property
    def waiting(self) -> bool:
        """Whether there is something to prepare."""
        return bool(self._new)

    @property
    def has_any(self) -> bool:
        """Whether something is prepared."""
        return any(self._names.values())

    async def forget(self) -> None:
        """Start anew: what was prepared is no longer what Postgres would prepare. No transaction may be open."""
        self._names.clear()
        self._new.clear()
        await self._connection.execute("deallocate all")

    async def prepare(self) -> None:
        """Prepare what came since the last time. To be called while no transaction is open."""
        while self._new:
            statement = self._new.pop()
            name = b"s%d" % next(self._numbers)
            try:
                await self._connection.execute(b"prepare %s as %s" % (name, statement.numbered()))
            except psycopg.ProgrammingError:
                # The type of a parameter does not show from where it stands.
                continue
            self._names[statement] = name
