"""A model's reply, put together from the chunks of a stream."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lanekeeper.ledger.rules import Usage
from lanekeeper.mainline import text
from lanekeeper.mainline.errors import MainlineError, from_event
from lanekeeper.mainline.usage import highest, micros
from lanekeeper.types import Json, new_id

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "other"]

_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    # How Claude's own API names it, where a gateway passes that on.
    "refusal": "content_filter",
}


_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the reply as it is written. Storable text, never both fields empty."""

    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants called. ``arguments`` is a JSON object in canonical form, or None when it wrote none."""

    id: str
    name: str
    arguments: Json | None
    raw: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What is known once the reply is whole. ``refused``: some of its text is the model saying that it will not."""

    finish_reason: FinishReason
    usage: Usage
    calls: tuple[ToolCall, ...] = ()
    thinking_blocks: tuple[Json, ...] = ()
    refused: bool = False


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Assembly:
    """Takes the chunks of one stream in order. ``usage`` is always the best that is known so far."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.begun = False
        self.written: list[str] = []
        self._refused = False
        self._text = text.StorableText()
        self._reasoning = text.StorableText()
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._thinking: list[Json] = []
        self._finish_reason: FinishReason | None = None

    def begin(self, cost: str | None) -> None:
        """The gateway took the request. ``cost`` is its price for it, where it named one in a header."""
        self.begun = True
        # Some name 0 when a stream begins, meaning that they do not know yet.
        self.usage = replace(self.usage, micros=micros(cost) or None)

    @property
    def finished(self) -> bool:
        """Whether the model said why it stopped: the reply is whole, whatever happens to the connection."""
        return self._finish_reason is not None

    def take(self, chunk: Json) -> Delta | None:
        """What this chunk adds for the reader, if anything.

        Raises:
            MainlineError: the chunk tells of a failure, or is none of a chat completion.
        """
        try:
            return self._take(chunk)
        except (AttributeError, TypeError, KeyError) as error:
            raise MainlineError("unavailable", retryable=True) from error

    def end(self) -> Iterator[Delta | Ending]:
        """What was held back, then the ending.

        Raises:
            MainlineError: the model never said that it was done.
        """
        if self._finish_reason is None:
            raise MainlineError("cut", retryable=True)
        rest = Delta(self._text.end(), self._reasoning.end())
        if rest.text or rest.reasoning:
            yield rest
        yield Ending(
            finish_reason=self._finish_reason,
            usage=self.usage,
            calls=tuple(self._whole_calls()),
            thinking_blocks=tuple(self._thinking),
            refused=self._refused,
        )

    def _take(self, chunk: Json) -> Delta | None:
        if chunk.get("error"):
            raise from_event(chunk["error"])
        self.usage = highest(self.usage, chunk.get("usage"))
        choice = next((c for c in chunk.get("choices") or () if not c.get("index")), None)
        if choice is None:
            return None
        if reason := choice.get("finish_reason"):
            self._finish_reason = _FINISH_REASONS.get(reason, "other")
        return self._delta(choice.get("delta") or choice.get("message") or {})

    def _delta(self, delta: Json) -> Delta | None:
        for piece in delta.get("tool_calls") or ():
            self._take_call(piece)
        self._thinking += [text.canonical(b) for b in delta.get("thinking_blocks") or () if b.get("signature")]
        refusal = _plain(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        said = _plain(delta.get("content")) + refusal
        thought = _plain(delta.get("reasoning_content") or delta.get("reasoning"))
        self.written += [said, thought]
        out = Delta(self._text.take(said) if said else "", self._reasoning.take(thought) if thought else "")
        return out if out.text or out.reasoning else None

    def _take_call(self, piece: Json) -> None:
        index, call_id = piece.get("index") or 0, piece.get("id") or ""
        call = self._by_index.get(index)
        # Some providers give every call the index 0: another id is another call.
        if call is None or (call_id and call.id and call_id != call.id):
            call = self._by_index[index] = _Call()
            self._calls.append(call)
        function = piece.get("function") or {}
        call.id = call.id or call_id
        call.name = call.name or function.get("name") or ""
        if arguments := function.get("arguments"):
            # Whole objects come from providers that do not stream arguments.
            call.arguments.append(arguments if isinstance(arguments, str) else text.dumps(arguments))
            self.written.append(call.arguments[-1])

    def _whole_calls(self) -> Iterator[ToolCall]:
        taken: set[str] = set()
        for call in self._calls:
            call_id = text.storable(call.id)
            if not call_id or call_id in taken:
                call_id = new_id("call")
            taken.add(call_id)
            raw = text.storable("".join(call.arguments))
            # Providers refuse a history with a name that they would not have allowed, for good.
            name = _NOT_IN_NAMES.sub("_", call.name)[:64] or "unnamed"
            yield ToolCall(call_id, name, _arguments(raw), raw)


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_plain(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def _arguments(raw: str) -> Json | None:
    try:
        arguments = text.loads(raw or "{}")
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None
