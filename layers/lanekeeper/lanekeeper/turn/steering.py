"""Steering: what was sent while a turn runs joins it, and the step under way starts again (T2)."""

from lanekeeper.limits import Limits
from lanekeeper.replies import ReplyStream
from lanekeeper.turn.deciding import Deciding
from lanekeeper.turn.intake import Intake, Turn
from lanekeeper.turn.recalling import Recalling
from lanekeeper.turn.said import text_of


class Steering:
    """Looks for new messages in one turn, and counts how often they made a step start again.

    Args:
        intake: finds what was sent meanwhile.
        turn: the turn it may join.
        stream: where the person is told what joined.
        deciding: judges what joined.
        recalling: searches memory for it.
        limits: how often a step may start again.
    """

    def __init__(
        self,
        *,
        intake: Intake,
        turn: Turn,
        stream: ReplyStream,
        deciding: Deciding,
        recalling: Recalling,
        limits: Limits,
    ) -> None:
        self._intake = intake
        self._turn = turn
        self._stream = stream
        self._deciding = deciding
        self._recalling = recalling
        self._restarts_left = limits.restarts

    async def is_wanted(self) -> bool:
        """Whether there is something to fold in, and a step may still begin again for it."""
        return bool(self._restarts_left) and await self._intake.is_awaited(self._turn)

    async def fold_in(self, *, restarts: bool) -> bool:
        """Let what was sent meanwhile join; whether anything did.

        Args:
            restarts: whether a step begins again for it, which a turn allows a few times only.

        Raises:
            CodeAnswers: code has acted on what joined; no model is to be asked any more.
        """
        if restarts and not self._restarts_left:
            # A look all the same: something may have been forgotten meanwhile.
            await self._intake.is_awaited(self._turn)
            return False
        joined = await self._intake.fold_in(self._turn)
        for message in joined:
            self._stream.joined(message.id or "")
        if said := text_of(joined):
            self._recalling.begin(said)
            await self._deciding.judge_joined(said)
            await self._recalling.settle(self._deciding.verdicts)
        if restarts and joined:
            self._restarts_left -= 1
        return bool(joined)
