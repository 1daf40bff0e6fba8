"""What a turn's reply is held to, from what its thread holds (E5, E2)."""

import re
from collections.abc import Iterable, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from lanekeeper.context.turn_only import TURN_ONLY
from lanekeeper.limits import Limits
from lanekeeper.replies.contract import BREAK, MARK, Contract, Known, Rules, Script, joined
from lanekeeper.tools import facts_of
from lanekeeper.turn.intake import Turn

# What the prompt says to the model alone.
MARKS = (MARK, TURN_ONLY)
# Of what was said before, enough to hold the beginning of whatever goes on after it.
SEEN_CHARS = 2_000
_LINK = re.compile(r"https?://\S+", re.IGNORECASE)


class Terms:
    """Draws up the contract for each answer of one turn.

    Args:
        turn: whose thread holds the facts and the person's words.
        limits: how many messages there may be, and how long.
    """

    def __init__(self, turn: Turn, limits: Limits) -> None:
        self._turn = turn
        self._limits = limits

    def contract(self, said: str, notes: Sequence[str], language: str, *, again: bool) -> Contract:
        """The contract of one answer.

        Args:
            said: what has gone out of it.
            notes: what the model was told for this reply only; it may repeat the times and dates in there.
            language: the person's, where that is sure.
            again: whether the model is asked once more. Its language is not argued about twice, and it has room to
                bring a message to its end.
        """
        own = self._turn.thread.of_turn(self._turn.id)
        limits = self._limits
        known = Known(self._facts, lambda: [*self._words(), *notes], _kinds(own))
        rules = Rules(
            known=known,
            marks=MARKS,
            chars=limits.message_chars + (limits.message_end_chars if again else 0),
            script=Script("" if again or said else language, "\n".join(_said_by_person(own)), limits),
        )
        earlier = [message.text for message in own if isinstance(message, AIMessage) and message.text.strip()]
        before = joined(*earlier)
        left = limits.messages_per_reply - sum(text.count(BREAK) + 1 for text in earlier)
        return Contract(rules, max(1, left), said, before[-SEEN_CHARS:])

    def thought(self, before: str) -> Contract:
        """The contract of a thought: it may hold no more than a reply, but nobody is told facts by it.

        Args:
            before: the end of what was thought before, shown or not.
        """
        rules = Rules(
            known=Known(self._facts, self._words),
            marks=MARKS,
            chars=2 * self._limits.reasoning_chars,
            script=Script("", "", self._limits),
        )
        return Contract(rules, None, before=before[-SEEN_CHARS:])

    def _facts(self) -> Iterable[tuple[str, str]]:
        for message in self._turn.thread.messages:
            if isinstance(message, ToolMessage):
                for fact in facts_of(message):
                    yield fact.kind, fact.text

    def _words(self) -> Iterable[str]:
        # The facts of messages that were summarised stand in the summary now. No link does: a model wrote it, perhaps
        # by what some page had told it to.
        thread = self._turn.thread
        earlier = [_LINK.sub("", thread.summary)] if thread.summary else []
        return [*earlier, *_said_by_person(thread.messages)]


def _kinds(messages: Sequence[AnyMessage]) -> set[str]:
    """The kinds of which these results hold facts."""
    return {fact.kind for message in messages if isinstance(message, ToolMessage) for fact in facts_of(message)}


def _said_by_person(messages: Sequence[AnyMessage]) -> list[str]:
    return [message.text for message in messages if isinstance(message, HumanMessage)]
