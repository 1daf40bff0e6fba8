"""Wakes a worker once a message is safe."""

import asyncio
import json
import logging

from lanekeeper.functions import Functions

logger = logging.getLogger(__name__)


class Waker:
    """Starts the worker function with the id of a turn, as a hint: the rows are the truth, and the tick finds
    every message whose wake was lost. So a failure is logged and nobody is told.

    Args:
        function: the worker's name or ARN.
        timeout_s: how long a person may be kept waiting for it.
    """

    def __init__(self, functions: Functions, function: str, timeout_s: float) -> None:
        self._functions = functions
        self._function = function
        self._timeout_s = timeout_s

    async def wake(self, turn_id: str) -> None:
        """Have a worker look at the lanes. Never fails."""
        payload = json.dumps({"turnId": turn_id}).encode()
        try:
            # The process has only this request to serve, so it may as well wait here: its socket is no more patient.
            # But dialling may hang where there is no socket yet, in the resolving of a name: a thread does that.
            if not self._functions.start_on_kept(self._function, payload):
                async with asyncio.timeout(self._timeout_s):
                    await asyncio.to_thread(self._functions.start, self._function, payload)
        except (OSError, KeyError, ValueError) as error:
            logger.error("the worker could not be woken: %s", type(error).__name__)
