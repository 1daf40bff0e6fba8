"""When an agent is stuck: two failed attempts at one goal, and a person is offered (A3).

An attempt has failed when a tool was tried in one step and brought nothing but failures, or when a whole turn ended
with a line that says so.
"""

from collections import Counter
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from lanekeeper.lines import HONEST_LINE, PERSON_LINE, REFUSED_LINE, WITHHELD_LINE
from lanekeeper.replies.contract import BREAK, joined

HAND_OFF = "people_handoff"
_LINES_OF_FAILURE = HONEST_LINE.texts | REFUSED_LINE.texts | WITHHELD_LINE.texts | PERSON_LINE.texts
# Marks the result of a call that was not made: the tool is not to blame.
SUPERSEDED = "superseded"


def is_stuck(turn: Sequence[AnyMessage], attempts: int) -> bool:
    """Whether one tool has failed in so many steps of a turn in a row, and nobody was called for."""
    failed: Counter[str] = Counter()
    step: dict[str, bool] = {}
    for message in [*turn, AIMessage("")]:
        if isinstance(message, ToolMessage) and message.name and not is_superseded(message):
            step[message.name] = step.get(message.name, False) or message.status != "error"
        elif isinstance(message, AIMessage):
            for name, worked in step.items():
                failed[name] = 0 if worked else failed[name] + 1
            step.clear()
    called_for = any(isinstance(message, ToolMessage) and message.name == HAND_OFF for message in turn)
    return not called_for and any(times >= attempts for times in failed.values())


def offering_a_person(answer: AIMessage, language: str) -> AIMessage:
    """An answer with the offer of a person behind it."""
    return answer.model_copy(update={"content": joined(answer.text, PERSON_LINE.in_language(language))})


def ended_in_failure(earlier: Sequence[AnyMessage]) -> bool:
    """Whether the last turn before ended with a line that says that it did not work."""
    last = earlier[-1] if earlier else None
    return isinstance(last, AIMessage) and last.text.rpartition(BREAK)[2] in _LINES_OF_FAILURE


def is_superseded(message: ToolMessage) -> bool:
    """Whether a call was not made because its person had written more."""
    return bool((message.artifact or {}).get(SUPERSEDED))
