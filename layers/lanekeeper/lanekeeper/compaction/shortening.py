"""Messages that no model can read whole are read without their middle, and say so. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from lanekeeper.graph import ThreadMessage
from lanekeeper.mainline import tokens
from lanekeeper.mainline.messages import to_wire
from lanekeeper.mainline.text import dumps
from lanekeeper.types import Json

# What stands in for the middle of a text.
LEFT_OUT = "\n[{chars} characters are left out here: the message was too long to be read whole]\n"
# What a message is beside its text: names, ids, quotes.
_FRAME_TOKENS = 80


def shortened(messages: Sequence[ThreadMessage], room: int) -> list[ThreadMessage]:
    """The messages within ``room`` tokens: those that are too large for an equal share without their middle.

    Calls keep their ids and names, so that their results still follow them. Thoughts are left out.
    """
    share = max(room // len(messages) - _FRAME_TOKENS, 1)
    return [replace(one, message=_within(one.message, share)) for one in messages]


def _within(message: AnyMessage, share: int) -> AnyMessage:
    if tokens.estimate(dumps(to_wire([message]))) <= share:
        return message
    if isinstance(message, AIMessage):
        part = max(share // (1 + len(message.tool_calls) + len(message.invalid_tool_calls)), 1)
        return AIMessage(
            content=_cut(_text_of(message), part),
            id=message.id,
            tool_calls=[{**call, "args": _cut_arguments(call["args"], part)} for call in message.tool_calls],
            invalid_tool_calls=[{**call, "args": _cut(str(call["args"]), part)} for call in message.invalid_tool_calls],
        )
    if isinstance(message, HumanMessage | ToolMessage):
        return message.model_copy(update={"content": _cut(_text_of(message), share)})
    return message


def _cut_arguments(arguments: Json, share: int) -> Json:
    written = dumps(arguments)
    return arguments if tokens.estimate(written) <= share else {"left_out": _cut(written, share)}


def _cut(text: str, share: int) -> str:
    """The beginning and the end of a text. Halved until it fits: what is dense may stand anywhere in it."""
    kept = len(text)
    cut = text
    while kept and tokens.estimate(dumps(cut)) > share:
        kept //= 2
        head, tail = kept - kept // 3, kept // 3
        cut = text[:head] + LEFT_OUT.format(chars=len(text) - kept) + text[len(text) - tail :]
    return cut


def _text_of(message: AnyMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    parts = [part if isinstance(part, str) else str(part.get("text", "")) for part in message.content]
    return "\n".join(part for part in parts if part)
