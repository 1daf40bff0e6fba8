"""Threads in short: ``h`` the person's words, ``a`` an answer, ``c1,c2`` an answer that calls, ``r1`` a result."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from lanekeeper.graph import ThreadMessage
from lanekeeper.mainline.messages import to_wire

# The history of B007.
HISTORY = "h c1,c2 r1 r2 a h c3 r3 a"


def thread(
    form: str, *, turns: Sequence[str | None] = (), text: str = "some words", first: int = 1
) -> list[ThreadMessage]:
    """A thread of that form. Without ``turns`` no message says which turn it is of; else each ``h`` begins the next."""
    made: list[ThreadMessage] = []
    names = iter(turns)
    turn: str | None = None
    for index, kind in enumerate(form.split()):
        position = first + index
        if kind == "h":
            turn = next(names, None)
        made.append(ThreadMessage(message(kind, f"m{position}", text), turn, position))
    return made


def message(kind: str, message_id: str, text: str = "some words") -> AnyMessage:
    match kind[0]:
        case "h":
            return HumanMessage(text, id=message_id)
        case "r":
            return ToolMessage(text, id=message_id, tool_call_id=kind.replace("r", "c"), name="look")
        case "c":
            calls = [{"id": call, "name": "look", "args": {"q": text}, "type": "tool_call"} for call in kind.split(",")]
            return AIMessage("", id=message_id, tool_calls=calls)  # type: ignore[arg-type]
        case _:
            return AIMessage(text, id=message_id)


def wire(messages: Sequence[ThreadMessage]) -> list[dict[str, object]]:
    return list(to_wire([one.message for one in messages]))


def ids(messages: Sequence[ThreadMessage]) -> list[str]:
    return [str(one.message.id) for one in messages]
