"""A setting that lives in the database, so that it changes without a deploy."""

import logging
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from lanekeeper import clock
from lanekeeper.postgres.statements import Statements
from lanekeeper.postgres.transaction import Transaction

T = TypeVar("T")

SQL = Statements.beside(__file__, "stored_setting.sql")

logger = logging.getLogger(__name__)


class StoredSetting(Generic[T]):
    """One row of the table ``settings``, believed for a few seconds once it was read (B10).

    Args:
        key: the row's key.
        parse: makes the value from the row's JSON; raises when it is none.
        default: the value while there is no row, or none that can be parsed.
        believed_s: seconds until the row is read again.
    """

    def __init__(self, key: str, parse: Callable[[Any], T], default: T, believed_s: float) -> None:
        self._key = key
        self._parse = parse
        self._value = self._default = default
        self._believed_s = believed_s
        self._read_at: float | None = None

    @property
    def fresh(self) -> bool:
        """Whether ``read`` would answer without asking the database."""
        return self._read_at is not None and clock.monotonic() - self._read_at < self._believed_s

    @property
    def last(self) -> T:
        """The value as it was last read."""
        return self._value

    async def read(self, tx: Transaction) -> T:
        """The value. A row that cannot be parsed is logged, and the last good value stands."""
        if self.fresh:
            return self._value
        row = await tx.row(SQL["setting"], {"key": self._key})
        self._read_at = clock.monotonic()
        if row is None:
            self._value = self._default
            return self._value
        try:
            self._value = self._parse(row["value"])
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            logger.exception("the setting %s cannot be read; the last good value stands", self._key)
        return self._value
