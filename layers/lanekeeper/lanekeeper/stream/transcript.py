"""A finished turn told again from the transcript, when its chunks have been swept away. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from lanekeeper.types import Json

# Events made from the transcript are numbered from here on, so that an id tells which of the two it counts:
# the chunks that the worker wrote once, or these, which are fewer.
FIRST_SEQ = 1_000_001

GONE = "The rest of this reply is no longer streamed. Reload the conversation to read it."


def retold(turn_id: str, row: Mapping[str, Any]) -> list[Json]:
    """The chunks of a finished turn, in the order in which a live one sends them.

    Args:
        turn_id: the turn.
        row: ``reply_id``, ``state``, ``conversation_id``, ``title``, and the message's ``parts`` and ``metadata``,
            which are None when the turn ended without saying anything.
    """
    return [
        {"type": "start", "messageId": row["reply_id"]},
        {
            "type": "data-conversation",
            "data": {"id": row["conversation_id"], "title": row["title"]},
            "transient": True,
        },
        {"type": "data-turn", "data": {"turnId": turn_id, "state": row["state"]}, "transient": True},
        *_steps(row["parts"] or []),
        _last(turn_id, row),
    ]


def _last(turn_id: str, row: Mapping[str, Any]) -> Json:
    if row["state"] == "stopped":
        return {"type": "abort", "reason": "stopped"}
    if row["parts"] is None:
        return {"type": "abort"}
    reason = "error" if row["state"] == "failed" else "stop"
    return {"type": "finish", "finishReason": reason, "messageMetadata": row["metadata"] or {"turnId": turn_id}}


def _steps(parts: list[Json]) -> Iterator[Json]:
    in_step = False
    texts = thoughts = 0
    for part in parts:
        if part["type"] == "step-start" or not in_step:
            if in_step:
                yield {"type": "finish-step"}
            yield {"type": "start-step"}
            in_step = True
        if part["type"] == "text":
            texts += 1
            yield from _words("text", f"text-{texts}", part["text"])
        elif part["type"] == "reasoning":
            thoughts += 1
            yield from _words("reasoning", f"reasoning-{thoughts}", part["text"])
        elif part["type"] == "dynamic-tool":
            yield from _tool(part)
        elif part["type"] != "step-start":
            yield part
    if in_step:
        yield {"type": "finish-step"}


def _words(kind: str, part_id: str, text: str) -> Iterator[Json]:
    yield {"type": f"{kind}-start", "id": part_id}
    if text:
        yield {"type": f"{kind}-delta", "id": part_id, "delta": text}
    yield {"type": f"{kind}-end", "id": part_id}


def _tool(part: Json) -> Iterator[Json]:
    call = {"toolCallId": part["toolCallId"], "dynamic": True}
    yield {"type": "tool-input-available", **call, "toolName": part["toolName"], "input": part.get("input")}
    if part["state"] == "output-available":
        yield {"type": "tool-output-available", **call, "output": part.get("output")}
    elif part["state"] == "output-error":
        yield {"type": "tool-output-error", **call, "errorText": part["errorText"]}
