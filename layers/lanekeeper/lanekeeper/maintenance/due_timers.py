"""What is due: each timer is claimed, acted on and taken away, a few of them side by side (P4)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from lanekeeper.limits import Limits
from lanekeeper.metrics import Measure, publish
from lanekeeper.redact import place
from lanekeeper.timers import Claims, Timer

Action = Callable[[Timer], Awaitable[None]]

logger = logging.getLogger(__name__)


class NoActionError(Exception):
    """Nobody knows what this kind of timer is for."""


@dataclass(frozen=True, slots=True)
class Acted:
    """How many timers were acted on, and how many of them failed and were put off."""

    done: int = 0
    failed: int = 0


def tell_failed(timers: int) -> None:
    """Tell the alarm how many timers failed."""
    publish(Measure("FailedTimers", timers, "Count"))


class DueTimers:
    """Works on the timers that are due. Safe to run twice at once, and to die at any point.

    Args:
        claims: gives each timer to one tick.
        actions: what to do, by kind. An action that raises is tried again later, so it must bear a repeat.
        limits: how many run side by side, and how much time one needs.
    """

    def __init__(self, claims: Claims, actions: Mapping[str, Action], limits: Limits) -> None:
        self._claims = claims
        self._actions = actions
        self._limits = limits

    async def run(self, seconds_left: Callable[[], float]) -> Acted:
        """Act on what is due until nothing is, or the time left is too short to begin with another.

        Args:
            seconds_left: of this invocation.
        """
        timer = await self._next(seconds_left)
        if timer is None:
            return Acted()
        outcomes: list[bool] = []
        acting: set[asyncio.Task[bool]] = set()
        try:
            async with self._claims.locks() as locks:
                while timer or acting:
                    # Where the lock is taken the clock has jumped past the claim of a tick that is still at it.
                    if timer and await locks.take(timer):
                        acting.add(asyncio.create_task(self._act(timer)))
                    elif timer:
                        await self._claims.leave(timer)
                    if len(acting) == self._limits.timers_at_once or (acting and timer is None):
                        ended, acting = await asyncio.wait(acting, return_when=asyncio.FIRST_COMPLETED)
                        outcomes += [task.result() for task in ended]
                    timer = await self._next(seconds_left)
        finally:
            if acting:
                await asyncio.wait(acting)
        failed = outcomes.count(False)
        if failed:
            tell_failed(failed)
        return Acted(outcomes.count(True), failed)

    async def _next(self, seconds_left: Callable[[], float]) -> Timer | None:
        return await self._claims.next() if seconds_left() > self._limits.timers_reserve_s else None

    async def _act(self, timer: Timer) -> bool:
        """Act on one timer; whether that went well."""
        try:
            if timer.kind not in self._actions:
                raise NoActionError
            await self._actions[timer.kind](timer)
        except Exception as error:  # noqa: BLE001 - whatever it was, the other timers go on
            # Neither whose it is nor what the error says: that may be anything.
            logger.error("a timer failed: %s, try %d: %s", timer.kind, timer.attempts, place(error))
            if timer.conversation_id is not None and timer.attempts >= self._limits.timer_attempts:
                # A try may cost money. The conversation's next turn sets it again, and its notes are the night's too.
                await self._claims.done(timer)
            else:
                await self._claims.failed(timer)
            return False
        await self._claims.done(timer)
        return True
