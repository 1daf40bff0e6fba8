"""LangChain's messages as an OpenAI-compatible gateway wants them, and back.

The same history always becomes the same bytes, also after it went through jsonb, which forgets the order of keys.
So a request begins with the bytes of the one before it and the provider's cache holds (C1, B072).
"""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from lanekeeper.mainline import text
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.reply import Ending, ToolCall
from lanekeeper.types import Json

THINKING_BLOCKS = "thinking_blocks"
REASONING = "reasoning_content"
# Whose thoughts these are, by the model's public id. Kept with them, never sent.
THOUGHT_BY = "thought_by"
# What the provider counted for an answer: kept with it, never sent.
USAGE = "usage"


def to_wire(messages: Sequence[BaseMessage], to: Model | None = None) -> list[Json]:
    """The messages of a chat request. An assistant's message that says nothing and calls nothing is left out.

    Args:
        messages: the messages.
        to: the model they are for. It is not sent what another one thought: providers refuse that.

    Raises:
        TypeError: a message is of a kind that no model is sent.
    """
    return [wire for message in messages if (wire := _message(message, to)) is not None]


def tool_calls(message: AIMessage) -> list[ToolCall]:
    """Every tool call of a reply, those whose arguments cannot be read included: each one needs a result."""
    calls = [ToolCall(call["id"] or "", call["name"], text.canonical(call["args"])) for call in message.tool_calls]
    unreadable = (
        ToolCall(call["id"] or "", call["name"] or "", None, _unquote(call["args"] or ""))
        for call in message.invalid_tool_calls
    )
    return [*calls, *unreadable]


def answer(said: str, ending: Ending, reasoning: str = "", by: str = "") -> AIMessage:
    """The whole reply as a message: what was said, and the calls, those whose arguments cannot be read included.

    Args:
        said: its words.
        ending: what was known at its end.
        reasoning: what the model thought, where it must be sent that again.
        by: the public id of the model.
    """
    extra: Json = {REASONING: reasoning} if reasoning else {}
    if ending.usage.reported:
        extra[USAGE] = {"input": ending.usage.input_tokens, "output": ending.usage.output_tokens}
    if ending.thinking_blocks:
        extra[THINKING_BLOCKS] = list(ending.thinking_blocks)
    if by and (reasoning or ending.thinking_blocks):
        extra[THOUGHT_BY] = by
    return AIMessage(
        content=said,
        additional_kwargs=extra,
        tool_calls=[
            {"id": call.id, "name": call.name, "args": call.arguments, "type": "tool_call"}
            for call in ending.calls
            if call.arguments is not None
        ],
        invalid_tool_calls=[
            {"id": call.id, "name": call.name, "args": call.raw, "error": None, "type": "invalid_tool_call"}
            for call in ending.calls
            if call.arguments is None
        ],
    )


def call_chunk(call: ToolCall, index: int) -> ToolCallChunk:
    """A call as a LangChain chunk.

    LangChain mends broken arguments by guessing. What the model did not finish must not run, so unreadable
    arguments travel as a JSON string, which LangChain keeps among ``invalid_tool_calls``.
    """
    arguments = text.dumps(call.arguments if call.arguments is not None else call.raw)
    return tool_call_chunk(name=call.name, args=arguments, id=call.id, index=index)


def _message(message: BaseMessage, to: Model | None) -> Json | None:
    if isinstance(message, SystemMessage):
        return {"role": "system", "content": _content(message.content)}
    if isinstance(message, HumanMessage):
        return {"role": "user", "content": _content(message.content)}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": _content(message.content)}
    if isinstance(message, AIMessage):
        return _assistant(message, to)
    raise TypeError(f"no model is sent a {type(message).__name__}")


def _assistant(message: AIMessage, to: Model | None) -> Json | None:
    said = _said(message.content)
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
        for call in tool_calls(message)
    ]
    if not said and not calls:
        return None
    wire: Json = {"role": "assistant", "content": said or None}
    if to is None or message.additional_kwargs.get(THOUGHT_BY, to.id) == to.id:
        wire |= _thoughts(message)
    if calls:
        wire["tool_calls"] = calls
    return wire


def _thoughts(message: AIMessage) -> Json:
    thoughts: Json = {}
    if reasoning := _reasoning(message):
        thoughts[REASONING] = reasoning
    if blocks := message.additional_kwargs.get(THINKING_BLOCKS):
        thoughts[THINKING_BLOCKS] = text.canonical(blocks)
    return thoughts


def _arguments(call: ToolCall) -> str:
    # Some providers take nothing but an object here.
    return text.dumps(call.arguments if call.arguments is not None else {"unreadable": call.raw})


def _said(content: str | list[str | Json]) -> str:
    if isinstance(content, str):
        return text.storable(content)
    parts = (part if isinstance(part, str) else part.get("text", "") for part in content)
    return text.storable("".join(part for part in parts if isinstance(part, str)))


def _reasoning(message: AIMessage) -> str:
    reasoning = message.additional_kwargs.get(REASONING)
    if not reasoning and isinstance(message.content, list):
        blocks = (part for part in message.content if isinstance(part, dict) and part.get("type") == "reasoning")
        reasoning = "".join(str(block.get("reasoning", "")) for block in blocks)
    return text.storable(reasoning or "")


def _content(content: str | list[str | Json]) -> str | list[Json]:
    if isinstance(content, str):
        return text.storable(content)
    return [_part(part) for part in content]


def _part(part: str | Json) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": text.storable(part)}
    match part:
        case {"type": "text", "text": str(said)}:
            wire: Json = {"type": "text", "text": text.storable(said)}
        case {"type": "image", "url": str(url)}:
            wire = {"type": "image_url", "image_url": {"url": url}}
        case {"type": "image", "base64": str(data)}:
            wire = {"type": "image_url", "image_url": {"url": _data_url(part, data, "image/jpeg")}}
        case {"type": "file", "base64": str(data)}:
            named = {"filename": part["filename"]} if isinstance(part.get("filename"), str) else {}
            wire = {"type": "file", "file": {**named, "file_data": _data_url(part, data, "application/pdf")}}
        case {"type": "file", "file_id": str(file_id)}:
            wire = {"type": "file", "file": {"file_id": file_id}}
        case _:
            return dict(text.canonical(part))
    if "cache_control" in part:
        wire["cache_control"] = text.canonical(part["cache_control"])
    return wire


def _data_url(part: Json, data: str, otherwise: str) -> str:
    return f"data:{part.get('mime_type') or otherwise};base64,{data}"


def _unquote(arguments: Any) -> str:
    try:
        raw = json.loads(arguments)
    except (ValueError, RecursionError):
        return str(arguments)
    return raw if isinstance(raw, str) else str(arguments)
