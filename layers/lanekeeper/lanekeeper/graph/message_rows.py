"""Messages of a thread as rows: a small JSON form that gives back the same message, byte for byte, for years."""

from typing import cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from lanekeeper.types import Json


def to_row(message: AnyMessage) -> Json:
    """The JSON form of a message: only what the model is shown again."""
    row: Json = {"type": message.type, "id": message.id, "content": message.content}
    if isinstance(message, AIMessage) and message.tool_calls:
        row["tool_calls"] = [
            {"id": call["id"], "name": call["name"], "args": call["args"]} for call in message.tool_calls
        ]
    if isinstance(message, ToolMessage):
        row |= {"tool_call_id": message.tool_call_id, "name": message.name, "status": message.status}
    return row


def from_row(row: Json) -> AnyMessage:
    """The message of a row.

    Raises:
        ValueError: the row is of no known type.
    """
    match row["type"]:
        case "human":
            return HumanMessage(content=row["content"], id=row["id"])
        case "ai":
            calls = cast("list[ToolCall]", [{**call, "type": "tool_call"} for call in row.get("tool_calls", ())])
            return AIMessage(content=row["content"], id=row["id"], tool_calls=calls)
        case "tool":
            return ToolMessage(
                content=row["content"],
                id=row["id"],
                tool_call_id=row["tool_call_id"],
                name=row["name"],
                status=row["status"],
            )
        case "system":
            return SystemMessage(content=row["content"], id=row["id"])
        case other:
            raise ValueError(f"unknown message type {other!r}")
