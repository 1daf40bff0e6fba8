"""The ceiling: what waits for a summary runs once there is one, and nobody waits for ever (C4)."""

from collections.abc import Awaitable, Callable

from lanekeeper import compaction
from lanekeeper.ledger.store import count_limit_hit
from lanekeeper.limits import Limits
from lanekeeper.maintenance.compacting import Compacting, Outcome
from lanekeeper.postgres import Database, Statements
from lanekeeper.timers import COMPACTION, Timer
from lanekeeper.types import new_id

SQL = Statements.beside(__file__)


class NotShortenedError(Exception):
    """No usable summary came, and the conversation is as long as it was."""


class Ceiling:
    """Acts on the timers that have a conversation shortened.

    Args:
        database: a connection of the maintenance role.
        compacting: makes a summary, publishes it, and lets run what waited for it.
        wake: starts one worker.
        limits: how many summaries may fail before a message waits no longer.
    """

    def __init__(
        self, database: Database, compacting: Compacting, wake: Callable[[], Awaitable[object]], limits: Limits
    ) -> None:
        self._database = database
        self._compacting = compacting
        self._wake = wake
        self._limits = limits

    async def run(self, timer: Timer) -> None:
        """Shorten the timer's conversation.

        Raises:
            NotShortenedError: it failed, and is to be tried again.
            DatabaseUnreachableError: the database did not answer.
        """
        assert timer.user_id is not None
        assert timer.conversation_id is not None
        if timer.kind == COMPACTION and not await self._is_too_long(timer.user_id, timer.conversation_id):
            return
        outcome: Outcome = await self._compacting.run(timer.user_id, timer.conversation_id)
        if outcome.done:
            return
        if timer.attempts >= self._limits.compaction_attempts:
            await self._let_run(timer.user_id, timer.conversation_id)
        raise NotShortenedError

    async def _is_too_long(self, user_id: str, conversation_id: str) -> bool:
        """A turn that ended while its conversation was being shortened has asked for that again."""
        most = int(self._limits.context_budget_tokens * self._limits.compaction_share)
        parameters = {"conversation_id": conversation_id, "most": most}
        (rows,) = await self._database.at_once(SQL["is_too_long"], user_id=user_id, parameters=parameters)
        return bool(rows and rows[0]["too_long"])

    async def _let_run(self, user_id: str, conversation_id: str) -> None:
        """Let what waits run all the same. If it is too much for the model, the honest line says so."""
        released = await compaction.release(self._database, user_id, conversation_id)
        if released.freed:
            async with self._database.transaction(user_id=user_id) as transaction:
                await count_limit_hit(transaction, user_id, None, "ceiling", new_id("hit"))
        if released.waits:
            await self._wake()
