"""What a turn leaves for later: its conversation is quiet from now on, and has grown."""

from lanekeeper.context.fill import Fill
from lanekeeper.limits import Limits
from lanekeeper.mainline.text import dumps
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.timers import compact_soon, quiet_from_now
from lanekeeper.tools import Agent
from lanekeeper.turn.intake import Turn

SQL = Statements.beside(__file__)


class Growth:
    """Sets the timers of one turn's conversation, and has it shortened once it has grown too long (C2, C3).

    Args:
        turn: the turn.
        agent: whose prompt and tools stand before the conversation.
        limits: how long is too long.
    """

    def __init__(self, turn: Turn, agent: Agent, limits: Limits) -> None:
        self._turn = turn
        self._agent = agent
        self._limits = limits
        self.is_too_much = False
        """Whether the conversation is to be shortened now."""

    def write(self, transaction: Transaction, *, readable: bool) -> None:
        """Put it into the transaction that ends the turn.

        Args:
            readable: whether the conversation can be read at all.
        """
        quiet_from_now(transaction, self._turn.hold.user_id, self._turn.conversation_id, self._limits)
        if readable:
            self._note_fill(transaction, self._fill().tokens)

    def _note_fill(self, transaction: Transaction, tokens: int) -> None:
        budget = self._limits.context_budget_tokens
        noted = tokens if tokens > budget * self._limits.fill_noted_share else 0
        if noted or self._turn.fill_tokens:
            # What was shortened meanwhile has another size than this turn knows of.
            parameters = {**self._turn.hold.key, "conversation_id": self._turn.conversation_id, "tokens": noted}
            transaction.put(SQL["note_fill"], parameters | {"summary": self._turn.thread.summary})
        self.is_too_much = tokens > budget * self._limits.compaction_share
        if self.is_too_much:
            compact_soon(transaction, self._turn.hold.user_id, self._turn.conversation_id)

    def _fill(self) -> Fill:
        thread = self._turn.thread
        about = self._turn.profile.block(thread.summary) or ""
        return Fill.of(dumps(self._agent.tools.definitions) + self._agent.prompt.text + about, thread.messages)
