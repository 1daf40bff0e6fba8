"""What of a conversation a summary takes the place of, and in which pieces it is read: pure rules (C2, B007)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from lanekeeper.compaction.shortening import shortened
from lanekeeper.graph import ThreadMessage
from lanekeeper.limits import Limits
from lanekeeper.mainline import tokens
from lanekeeper.mainline.messages import to_wire, tool_calls
from lanekeeper.mainline.text import dumps


@dataclass(frozen=True, slots=True)
class Plan:
    """Where a thread is cut: ``covered`` and ``kept`` are all of it, in order. Either is valid history by itself."""

    covered: tuple[ThreadMessage, ...]
    kept: tuple[ThreadMessage, ...]

    @property
    def covers_until(self) -> int:
        """The position of the last message that is covered."""
        return self.covered[-1].position

    @property
    def ids(self) -> list[str]:
        """The ids of the covered messages."""
        return [one.message.id for one in self.covered if one.message.id]


def plan(thread: Sequence[ThreadMessage], limits: Limits, unfinished: frozenset[str] = frozenset()) -> Plan | None:
    """Cut a thread where a turn begins: the newest whole turn stays, and as many before it as are small.

    Args:
        thread: all messages, oldest first.
        limits: how much stays at most, and how little is not worth a summary.
        unfinished: the turns that are still being answered. Nothing of them is covered, nor of what came after.

    Returns:
        None when there is too little to cover.
    """
    begun = next((index for index, one in enumerate(thread) if one.turn_id in unfinished), len(thread))
    chosen = 0
    for cut in reversed([cut for cut in _cuts(thread, turns_only=True) if cut < begun]):
        kept = thread[cut:]
        if chosen and (
            _turns(kept[: begun - cut]) > limits.compaction_kept_turns or size(kept) > limits.compaction_kept_tokens
        ):
            break
        chosen = cut
    if size(thread[:chosen]) < limits.compaction_least_tokens:
        return None
    return Plan(tuple(thread[:chosen]), tuple(thread[chosen:]))


def pieces(covered: Sequence[ThreadMessage], room: int) -> Iterator[list[ThreadMessage]]:
    """The covered messages in pieces that a model can read at once.

    They end where a turn does, or in a turn that is too large by itself, behind the last result of a call. What is too
    large even so is read shortened: no message is ever read twice or for ever.

    Args:
        covered: the messages of a plan.
        room: tokens of messages that one request may have.
    """
    begin = 0
    while begin < len(covered):
        rest = covered[begin:]
        fitting = _most_that_fit(rest, room)
        if fitting == len(rest):
            yield list(rest)
            return
        at_turns = [cut for cut in _cuts(rest, turns_only=True) if cut <= fitting]
        anywhere = [cut for cut in _cuts(rest, turns_only=False) if cut <= fitting]
        if cuts := at_turns or anywhere:
            yield list(rest[: cuts[-1]])
            begin += cuts[-1]
        else:
            whole = next(iter(_cuts(rest, turns_only=False)), len(rest))
            yield shortened(rest[:whole], room)
            begin += whole


def size(messages: Sequence[ThreadMessage]) -> int:
    """About how many tokens messages are."""
    return tokens.estimate(dumps(to_wire([one.message for one in messages]))) if messages else 0


def _cuts(thread: Sequence[ThreadMessage], *, turns_only: bool) -> Iterator[int]:
    """Where a thread may be cut in two: never between a call and its results."""
    waiting: set[str] = set()
    for index, one in enumerate(thread):
        if index and not waiting and (_begins_turn(thread, index) or not turns_only):
            yield index
        if isinstance(one.message, AIMessage):
            waiting |= {call.id for call in tool_calls(one.message)}
        elif isinstance(one.message, ToolMessage):
            waiting.discard(one.message.tool_call_id)


def _begins_turn(thread: Sequence[ThreadMessage], index: int) -> bool:
    one, before = thread[index], thread[index - 1]
    if not isinstance(one.message, HumanMessage):
        return False
    if one.turn_id is None:
        return before.turn_id is not None or not isinstance(before.message, HumanMessage)
    return one.turn_id != before.turn_id


def _turns(messages: Sequence[ThreadMessage]) -> int:
    return 1 + sum(1 for _ in _cuts(messages, turns_only=True))


def _most_that_fit(messages: Sequence[ThreadMessage], room: int) -> int:
    total = 0
    for index, one in enumerate(messages):
        total += size([one])
        if total > room:
            return index
    return len(messages)
