"""Messages of a thread as rows: a small JSON form that gives back the same message, byte for byte, for years."""

from typing import cast

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    InvalidToolCall,
    SystemMessage,
    ToolCall,
    ToolMessage,
)

from lanekeeper.types import Json


def to_row(message: AnyMessage) -> Json:
    """The JSON form of a message: only what the model is shown again."""
    row: Json = {"type": message.type, "id": message.id, "content": message.content}
    if isinstance(message, AIMessage):
        for name in ("tool_calls", "invalid_tool_calls"):
            if calls := getattr(message, name):
                row[name] = [{"id": call["id"], "name": call["name"], "args": call["args"]} for call in calls]
        if message.additional_kwargs:
            row["extra"] = message.additional_kwargs
    if isinstance(message, ToolMessage):
        row |= {"tool_call_id": message.tool_call_id, "name": message.name, "status": message.status}
        if message.artifact is not None:
            row["artifact"] = message.artifact
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
            calls = [{**call, "type": "tool_call"} for call in row.get("tool_calls", ())]
            unreadable = [
                {**call, "type": "invalid_tool_call", "error": None} for call in row.get("invalid_tool_calls", ())
            ]
            return AIMessage(
                content=row["content"],
                id=row["id"],
                tool_calls=cast("list[ToolCall]", calls),
                invalid_tool_calls=cast("list[InvalidToolCall]", unreadable),
                additional_kwargs=row.get("extra", {}),
            )
        case "tool":
            return ToolMessage(
                content=row["content"],
                id=row["id"],
                tool_call_id=row["tool_call_id"],
                name=row["name"],
                status=row["status"],
                artifact=row.get("artifact"),
            )
        case "system":
            return SystemMessage(content=row["content"], id=row["id"])
        case other:
            raise ValueError(f"unknown message type {other!r}")
