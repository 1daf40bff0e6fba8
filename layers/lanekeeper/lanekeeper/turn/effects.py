"""What tool calls leave behind, written with their results: values (N4), notes (W4), and people asked for."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage
from psycopg.types.json import Jsonb

from lanekeeper.decisions import Act
from lanekeeper.decisions import store as decisions
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.tools import state_after
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.remembering import Remembering

SQL = Statements.beside(__file__)


class Effects:
    """The effects of one turn's tool calls. It is the staff's desk of their contexts.

    A worker that dies between a call and its record has left nothing: the call is made again by the next one, which
    finds the conversation's values as this one found them.

    Args:
        turn: the turn.
        memory: what they keep and forget.
    """

    def __init__(self, turn: Turn, memory: Remembering) -> None:
        self._turn = turn
        self.memory = memory
        self._reasons: list[str] = []
        self.state = turn.state

    def open(self, reason: str) -> None:
        """Ask the team for a person."""
        self._reasons.append(reason)

    async def write(self, transaction: Transaction, results: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Write what these results bring, in the transaction that records them; the results as they then are."""
        written = await self.memory.write(transaction, results)
        state = state_after(self.state, written)
        if state != self.state:
            transaction.put(
                SQL["keep_state"],
                {
                    "user_id": self._turn.hold.user_id,
                    "conversation_id": self._turn.conversation_id,
                    "state": Jsonb(state),
                },
            )
            self.state = state
        place = decisions.Place(
            user_id=self._turn.hold.user_id, conversation_id=self._turn.conversation_id, turn_id=self._turn.id
        )
        while self._reasons:
            decisions.write_act(transaction, place, Act.HAND_OVER, self._reasons.pop(0), confirm_s=0)
        return written
