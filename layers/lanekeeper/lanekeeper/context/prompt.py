"""The prompt: fixed first, then the conversation as it grew, then what counts for this reply only.

Tools and the system prompt never change within a release and messages are only ever appended, so what was sent for
one reply is the beginning of what is sent for the next, and the provider's cache holds (C1). What changes from reply
to reply stands last and is never stored (C5).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage

from lanekeeper.types import Prompt

TURN_ONLY = "For this reply only, and not part of the conversation:"
CONTINUE = (
    "A technical fault cut your reply off right after the words above. The person has read them. "
    "Write on from exactly there. Do not repeat any of it and do not mention the interruption."
)


def model_input(
    prompt: Prompt, messages: Sequence[AnyMessage], turn_only: Sequence[str], said: str = ""
) -> list[AnyMessage]:
    """The whole input of one model call.

    Args:
        prompt: the agent's fixed part.
        messages: the conversation, oldest first, ending with what is to be answered.
        turn_only: blocks for this reply only.
        said: text of this very answer that has been shown before its writer died; the model is to go on from it.
    """
    tail: list[AnyMessage] = []
    if said:
        tail.append(AIMessage(content=said))
        turn_only = [*turn_only, CONTINUE]
    if turn_only:
        tail.append(SystemMessage(content="\n".join([TURN_ONLY, *turn_only])))
    return [SystemMessage(content=prompt.text), *messages, *tail]


def turn_block(now: datetime, timezone: str) -> str:
    """The date and time where the person is, with the words that people use for days already worked out (B4)."""
    here = now.astimezone(ZoneInfo(timezone))
    days = ", ".join(
        f"{word} is {here + timedelta(days=shift):%A %Y-%m-%d}"
        for word, shift in (("today", 0), ("yesterday", -1), ("tomorrow", 1))
    )
    return f"It is {here:%H:%M} in {timezone}; {days}. A day without a year means the year it is now."
