"""Asks the classifier about a message of a turn, in time or not at all: then word lists stand in (D1)."""

import logging
from dataclasses import replace

from lanekeeper import clock
from lanekeeper.decisions import Verdicts, words
from lanekeeper.decisions.questions import questions_about
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline.client import Caller
from lanekeeper.mainline.decisions import Decisions, Judges
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.turn.in_force import InForce
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.meter import TurnMeter

logger = logging.getLogger(__name__)

FEATURE = "decisions"
ABRIDGED = "\n...\n"


class Judging:
    """The calls for decisions of one turn.

    Args:
        decisions: the client.
        turn: whose messages are judged.
        in_force: which models judge, and from where on an answer counts.
        meter: counts what the calls cost.
        limits: how long they may take, and how much of a message is judged.
    """

    def __init__(self, decisions: Decisions, turn: Turn, in_force: InForce, meter: TurnMeter, limits: Limits) -> None:
        self._decisions = decisions
        self._judges = Judges(endpoint=in_force.catalogue.decisions, chat=in_force.catalogue.choose())
        self._thresholds = in_force.policy.thresholds
        self._caller = Caller(user_id=turn.hold.user_id, turn_id=turn.id, meter=_Aside(meter), feature=FEATURE)
        self._limits = limits
        self._seconds_left = limits.decisions_s

    async def judge(self, said: str) -> Verdicts:
        """The verdicts on a text, within what is left of the time that a turn's decisions may take together.

        However many messages join a turn, a slow classifier keeps it waiting no longer than for one.
        """
        if self._seconds_left <= 0:
            return Verdicts(source="words", answers=words.judge(said), thresholds=self._thresholds)
        began = clock.monotonic()
        try:
            answers, source = await self._decisions.ask(
                self._abridged(said), questions_about("text"), self._judges, self._caller, self._seconds_left
            )
            verdicts = Verdicts(source=source, answers=answers)
        except MainlineError as error:
            logger.warning("word lists decide: %s", error)
            verdicts = Verdicts(source="words", answers=words.judge(said))
            if error.kind == "timeout":
                self._seconds_left = 0
        took = clock.monotonic() - began
        self._seconds_left -= took
        return replace(verdicts, took_ms=took * 1000, thresholds=self._thresholds)

    def _abridged(self, said: str) -> str:
        half = self._limits.decisions_chars // 2
        return said if len(said) <= 2 * half else said[:half] + ABRIDGED + said[-half:]


class _Aside:
    """Books calls that are no part of what a reply used."""

    def __init__(self, meter: TurnMeter) -> None:
        self._meter = meter

    async def opened(self, call: Call) -> None:
        """Put the call on the books: its worker may not live to tell what it came to (K2)."""
        await self._meter.open(call)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price for the turn's next transaction."""
        self._meter.book(call, usage, failed=failed)
