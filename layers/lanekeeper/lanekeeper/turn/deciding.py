"""Judges what a turn has to answer, beside its loading, and lets code act on it before any model is asked (D1, D5, D6).

Nothing here keeps a turn waiting longer than the fast decisions may take: then word lists stand in.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import takewhile

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from lanekeeper.decisions import Act, Plan, Policy, Verdicts, words
from lanekeeper.decisions.crisis import crisis_line
from lanekeeper.decisions.lines import asked_in, is_line_of, line
from lanekeeper.decisions.rules import ASKS, FOR_MEMORY, Control, notes, order_in, plan
from lanekeeper.decisions.store import (
    Place,
    keep_from_memory,
    keep_verdicts,
    kept_verdicts,
    pending_control,
    write_act,
)
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Transaction
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.judging import Judging
from lanekeeper.turn.said import text_of


class CodeAnswers(Exception):  # noqa: N818 - an outcome of a turn, not an accident
    """Code has answered the turn: it ends here, with this text."""

    def __init__(self, text: str) -> None:
        super().__init__("code has answered the turn")
        self.text = text


class Deciding:
    """The decisions of one turn.

    Args:
        database: the worker's own connection.
        turn: the turn.
        judging: asks the classifier.
        policy: what the operator has set.
        limits: how long a control that was asked about can be confirmed, and how many messages tell a language.
    """

    def __init__(self, database: Database, turn: Turn, judging: Judging, policy: Policy, limits: Limits) -> None:
        self._database = database
        self._turn = turn
        self._judging = judging
        self._policy = policy
        self._limits = limits
        self._place = Place(user_id=turn.hold.user_id, conversation_id=turn.conversation_id, turn_id=turn.id)
        self._asked: asyncio.Task[Verdicts] | None = None
        self._judged = self._unwritten = False
        self._acts: tuple[Act, ...] = ()
        self._said = ""
        self.verdicts = Verdicts(source="words", thresholds=policy.thresholds)

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[None]:
        """Ask now, so that the answer comes while the turn loads; whatever happens, leave no call behind."""
        said = text_of(self._turn.thread.of_turn(self._turn.id))
        # What a dead worker came to know is looked up first.
        if said and not self._turn.retaken and order_in(said) is None:
            self._asked = asyncio.create_task(self._judging.judge(said))
        try:
            yield
        finally:
            if self._asked is not None:
                self._asked.cancel()
                await asyncio.wait({self._asked})

    async def settle(self) -> None:
        """Know what the message is, once the thread is loaded, and act on it.

        Raises:
            CodeAnswers: code has acted, and no model is to be asked.
        """
        own = self._turn.thread.of_turn(self._turn.id)
        said = text_of(own)
        pending, language = await self._pending(said)
        if order_in(said) is None and pending is None:
            await self._know(said, own)
        # A turn that was taken up again goes on with what it has begun: its answer is half written.
        if not own or isinstance(own[-1], HumanMessage):
            self._act(said, pending, language)

    async def judge_joined(self, said: str) -> None:
        """Judge what has just joined the turn as well, and act on it.

        Raises:
            CodeAnswers: code has acted, and no model is to be asked any more.
        """
        self._take(self.verdicts.joined(await self._judging.judge(said)))
        self._act(said, None, None)

    @property
    def language(self) -> str | None:
        """The language to answer in, where it is known (D6)."""
        return self.verdicts.language

    @property
    def notes(self) -> list[str]:
        """What the model is told to be careful about."""
        return notes(self.verdicts, self._policy)

    def write(self, transaction: Transaction) -> None:
        """Put what was judged and done into a transaction of the turn. A second time changes nothing."""
        if self._unwritten:
            keep_verdicts(transaction, self._place, self.verdicts)
            self._unwritten = False
        for act in self._acts:
            write_act(transaction, self._place, act, self._said, self._limits.confirm_s)
        if not FOR_MEMORY.issuperset(self._acts):
            own = self._turn.thread.of_turn(self._turn.id)
            said = [message.id for message in own if isinstance(message, HumanMessage) and message.id]
            keep_from_memory(transaction, self._place, said)

    def rewind(self) -> None:
        """Write once more with the next transaction: an interrupted one may have been undone."""
        self._unwritten = self._judged

    async def _know(self, said: str, own: Sequence[AnyMessage]) -> None:
        if self._turn.retaken:
            kept = await kept_verdicts(self._database, self._place, self._policy)
            if kept is not None:
                self.verdicts = kept
                # Verdicts are kept with an answer. What joined since then may have been judged by nobody.
                if joined := text_of(_unanswered(own)):
                    self._take(kept.joined(await self._judging.judge(joined)))
                return
        if self._asked is not None:
            self._take(await self._asked)
        elif said:
            self._take(await self._judging.judge(said))

    def _take(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts
        self._judged = self._unwritten = True

    def _act(self, said: str, pending: Control | None, language: str | None) -> None:
        planned = plan(
            said,
            self.verdicts,
            policy=self._policy,
            pending=pending,
            agrees=pending is not None,
            redirected=self._redirected,
        )
        if planned.acts:
            self._acts, self._said = planned.acts, said
            raise CodeAnswers(self._line(planned, language))

    def _line(self, planned: Plan, language: str | None) -> str:
        spoken = language or self.language or self._language_of_before()
        act = planned.acts[0]
        return crisis_line(spoken, self._turn.timezone) if act is Act.CRISIS else line(act, spoken)

    async def _pending(self, said: str) -> tuple[Control | None, str | None]:
        """The control that this message confirms, and the language in which the reply before it asked."""
        before = self._before()
        asked = asked_in(ASKS, before[-1].text) if before and isinstance(before[-1], AIMessage) else None
        if asked and words.agrees(said) and await pending_control(self._database, self._place) == ASKS[asked[0]]:
            return ASKS[asked[0]], asked[1]
        return None, None

    @property
    def _redirected(self) -> bool:
        return self.verdicts.over("out_of_scope") and any(
            isinstance(message, AIMessage) and is_line_of(Act.REDIRECT, message.text) for message in self._before()
        )

    def _language_of_before(self) -> str | None:
        said = [message.text for message in self._before() if isinstance(message, HumanMessage)]
        return words.language_of("\n".join(said[-self._limits.messages_that_tell :]))

    def _before(self) -> list[AnyMessage]:
        messages = self._turn.thread.messages
        return messages[: len(messages) - len(self._turn.thread.of_turn(self._turn.id))]


def _unanswered(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    return list(takewhile(lambda message: isinstance(message, HumanMessage), reversed(messages)))[::-1]
