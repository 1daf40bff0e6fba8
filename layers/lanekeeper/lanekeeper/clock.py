"""The product's one clock in Python. Nothing else asks the system for the date."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The present moment, aware and in UTC. Expiries and dates are measured by it."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds that only grow. Waits and timings are measured by it."""
    return time.monotonic()
