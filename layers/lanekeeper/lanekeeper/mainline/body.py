"""The request of one chat call, in the order that keeps its beginning the same from turn to turn."""

from collections.abc import Sequence

from lanekeeper.types import Json


def chat_body(
    messages: Sequence[Json],
    *,
    tools: Sequence[Json] = (),
    tool_choice: str | Json | None = None,
    parallel_tool_calls: bool | None = None,
    response_format: Json | None = None,
    stop: Sequence[str] | None = None,
    max_tokens: int | None = None,
    temperature: float | None = None,
) -> Json:
    """All of a chat request but its model. What is not given is left out, so that providers use their default.

    The messages come last, so that the next turn's body begins with this one's bytes (C1, B072).
    """
    body: Json = {}
    if tools:
        body["tools"] = list(tools)
    if tool_choice is not None:
        body["tool_choice"] = tool_choice
    if parallel_tool_calls is not None:
        body["parallel_tool_calls"] = parallel_tool_calls
    if response_format is not None:
        body["response_format"] = response_format
    if stop:
        body["stop"] = list(stop)
    if max_tokens is not None:
        body["max_tokens"] = max_tokens
    if temperature is not None:
        body["temperature"] = temperature
    body["messages"] = list(messages)
    return body
