"""Answers in OpenAI's shapes: the events of a stream, and the one object of a plain call."""

import json
import re
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from tests.devkit.mainline.scripts import Call

DONE = b"data: [DONE]\n\n"

_PIECE = re.compile(r"\s*\S{1,12}|\s+")
_ARGUMENT_CHARS = 24


def pieces(text: str) -> list[str]:
    """A text as a model would write it: word by word, each with the space before it."""
    return _PIECE.findall(text)


def arguments(call: Call) -> str:
    """The arguments of a call as they stand on the wire."""
    return call.args if isinstance(call.args, str) else json.dumps(call.args, ensure_ascii=False)


class Chunks:
    """Writes the events of one stream. Every event but the last repeats the same head, so it is made once."""

    def __init__(self, answer_id: str, created: int, model: str, *, with_usage: bool) -> None:
        head = {"id": answer_id, "object": "chat.completion.chunk", "created": created, "model": model}
        self._head = f"data: {json.dumps(head)[:-1]}"
        self._tail = ', "usage": null}\n\n' if with_usage else "}\n\n"

    def role(self) -> bytes:
        """The first event."""
        return self._event('{"role": "assistant", "content": ""}')

    def text(self, piece: str, usage: dict[str, Any] | None = None) -> bytes:
        """A few letters; with ``usage``, the running totals beside them."""
        return self._event(f'{{"content": {quoted(piece)}}}', usage=usage)

    def refusal(self, piece: str) -> bytes:
        """A few letters of why it will not answer."""
        return self._event(f'{{"refusal": {quoted(piece)}}}')

    def reasoning(self, piece: str) -> bytes:
        """A few letters of what it thinks."""
        return self._event(f'{{"reasoning_content": {quoted(piece)}}}')

    def call(self, index: int, call_id: str, call: Call) -> list[bytes]:
        """A tool call: first its name, then its arguments in pieces."""
        function = {"name": call.name, "arguments": ""}
        opened = {"index": index, "id": call_id, "type": "function", "function": function}
        events = [self._event(json.dumps({"tool_calls": [opened]}))]
        text = arguments(call)
        for start in range(0, len(text), _ARGUMENT_CHARS):
            part = {"index": index, "function": {"arguments": text[start : start + _ARGUMENT_CHARS]}}
            events.append(self._event(json.dumps({"tool_calls": [part]})))
        return events

    def finish(self, reason: str) -> bytes:
        """The event that says why the answer ended."""
        return self._event("{}", quoted(reason))

    def usage(self, usage: dict[str, Any]) -> bytes:
        """The last event: the cost and the tokens, and no choice."""
        return f'{self._head}, "choices": [], "usage": {json.dumps(usage)}}}\n\n'.encode()

    def _event(self, delta: str, reason: str = "null", usage: dict[str, Any] | None = None) -> bytes:
        tail = self._tail if usage is None else f', "usage": {json.dumps(usage)}}}\n\n'
        choice = f'{{"index": 0, "delta": {delta}, "logprobs": null, "finish_reason": {reason}}}'
        return f'{self._head}, "choices": [{choice}]{tail}'.encode()


def completion(
    answer_id: str,
    created: int,
    model: str,
    *,
    text: str,
    refusal: str = "",
    calls: list[tuple[str, Call]],
    reason: str,
) -> dict[str, Any]:
    """The object of a plain call, still without usage."""
    message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": refusal or None}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": arguments(call)}}
            for call_id, call in calls
        ]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    return {
        "id": answer_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [choice],
    }
