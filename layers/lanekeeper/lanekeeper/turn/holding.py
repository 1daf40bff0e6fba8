"""The holding line: said once work has been slow for a while, never as a habit, never kept (T3)."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from lanekeeper.limits import Limits
from lanekeeper.lines import HOLDING_LINE
from lanekeeper.redact import place
from lanekeeper.replies import ReplyStream

logger = logging.getLogger(__name__)


class HoldingLine:
    """Tells a waiting person that work takes longer, as a status beside the reply, at most once for each work.

    Args:
        stream: where it is shown.
        limits: how long work may take before it is slow.
    """

    def __init__(self, stream: ReplyStream, limits: Limits) -> None:
        self._stream = stream
        self._after_s = limits.holding_line_s
        self._timer: asyncio.TimerHandle | None = None
        self._told: set[str] = set()
        self.language = ""

    @contextmanager
    def over(self, work: str) -> Iterator[None]:
        """Say the line if the block takes long and nothing of it was shown.

        Args:
            work: names the work, so that a second try at it says nothing more.
        """
        if work not in self._told:
            self._timer = asyncio.get_running_loop().call_later(self._after_s, self._say, work)
        try:
            yield
        finally:
            self.rest()

    def rest(self) -> None:
        """Something was shown: nobody is waiting any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _say(self, work: str) -> None:
        self._told.add(work)
        try:
            self._stream.status(HOLDING_LINE.in_language(self.language))
        except Exception as error:  # noqa: BLE001 - raised again to whoever shows something next
            logger.warning("a holding line could not be shown: %s", place(error))
