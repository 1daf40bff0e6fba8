"""The holding line: said once work has been slow for a while, never as a habit, never kept (T3)."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from lanekeeper.limits import Limits
from lanekeeper.lines import HOLDING_LINE
from lanekeeper.replies import ReplyStream


class HoldingLine:
    """Tells a waiting person that work takes longer, as a status beside the reply.

    Args:
        stream: where it is shown.
        limits: how long work may take before it is slow.
    """

    def __init__(self, stream: ReplyStream, limits: Limits) -> None:
        self._stream = stream
        self._after_s = limits.holding_line_s
        self.language = ""

    @contextmanager
    def over(self) -> Iterator[None]:
        """Say the line if the block takes long."""
        timer = asyncio.get_running_loop().call_later(self._after_s, self._say)
        try:
            yield
        finally:
            timer.cancel()

    def _say(self) -> None:
        self._stream.status(HOLDING_LINE.in_language(self.language))
