"""The fake's own clock: expiries and dates move when a test moves them, waits stay real."""

import time
from datetime import UTC, datetime


class Clock:
    """The machine's time plus an offset."""

    def __init__(self) -> None:
        self._offset_s = 0.0

    def now(self) -> float:
        """Seconds since 1970, moved."""
        return time.time() + self._offset_s

    def date(self) -> datetime:
        """The same moment, aware and in UTC."""
        return datetime.fromtimestamp(self.now(), UTC)

    def advance(self, seconds: float) -> None:
        """Move by some seconds; less than zero moves back."""
        self._offset_s += seconds

    def set(self, moment: float) -> None:
        """Go on counting from this moment, in seconds since 1970."""
        self._offset_s = moment - time.time()


def parse_moment(value: object) -> float:
    """Seconds since 1970 from a number, or from ISO text (UTC when it names no zone).

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    raise ValueError("a moment is a number of seconds or ISO text")
