"""What the streams of a process do while the database is away: wait, try again, and say so once a second."""

import asyncio
import logging

from lanekeeper import clock

RETRY_S = 0.3
SAY_EVERY_S = 1.0

logger = logging.getLogger(__name__)


class Outage:
    """Shared by all streams of a process, so that their complaints add up to one line a second."""

    def __init__(self) -> None:
        self._said_at = -SAY_EVERY_S

    async def wait(self, error: Exception) -> None:
        """Note that the database did not answer, and wait before the next try."""
        now = clock.monotonic()
        if now >= self._said_at + SAY_EVERY_S:
            self._said_at = now
            logger.error("the database is away: %s", type(error.__cause__ or error).__name__)
        await asyncio.sleep(RETRY_S)
