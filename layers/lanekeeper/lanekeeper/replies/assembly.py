"""A message as a client puts it together from the chunks of its stream.

The writer of a stream keeps one of these beside it. It tells what a client shows at any moment, so the stored reply
is what was shown, and a worker that takes up a dead one's turn sees from the chunks how far that one had come.
"""

from dataclasses import dataclass, field

from lanekeeper.replies.contract import joined
from lanekeeper.types import Json


@dataclass(slots=True)
class Assembly:
    """The parts of one assistant message, growing chunk by chunk."""

    parts: list[Json] = field(default_factory=list)
    started: bool = False
    step_open: bool = False
    steps: int = 0
    ended: bool = False
    joined: set[str] = field(default_factory=set)
    _texts: dict[str, Json] = field(default_factory=dict)
    _step_texts: list[Json] = field(default_factory=list)
    _thoughts: dict[str, Json] = field(default_factory=dict)
    _tools: dict[str, Json] = field(default_factory=dict)

    def apply(self, chunk: Json) -> None:
        """Take in the next chunk. Transient and unknown chunks leave no part."""
        kind = chunk["type"]
        if kind == "start":
            self.started = True
        elif kind == "data-joined":
            self.joined.add(chunk["data"]["messageId"])
        elif kind == "start-step":
            self.step_open = True
            self.steps += 1
            self._step_texts.clear()
            self.parts.append({"type": "step-start"})
        elif kind == "finish-step":
            self.step_open = False
            self._texts.clear()
            self._thoughts.clear()
        elif kind in {"finish", "abort", "error"}:
            self.ended = True
        elif kind.startswith("text-"):
            self._apply_text(kind, chunk)
        elif kind.startswith("reasoning-"):
            self._apply_reasoning(kind, chunk)
        elif kind.startswith("tool-"):
            self._apply_tool(kind, chunk)
        elif kind == "source-url" or (kind.startswith("data-") and not chunk.get("transient")):
            self.parts.append(chunk)

    def _apply_text(self, kind: str, chunk: Json) -> None:
        if kind == "text-start":
            part: Json = {"type": "text", "text": "", "state": "streaming"}
            self._texts[chunk["id"]] = part
            self._step_texts.append(part)
            self.parts.append(part)
        elif kind == "text-delta":
            self._texts[chunk["id"]]["text"] += chunk["delta"]
        else:
            self._texts.pop(chunk["id"])["state"] = "done"

    def _apply_reasoning(self, kind: str, chunk: Json) -> None:
        if kind == "reasoning-start":
            part: Json = {"type": "reasoning", "text": "", "state": "streaming"}
            self._thoughts[chunk["id"]] = part
            self.parts.append(part)
        elif kind == "reasoning-delta":
            self._thoughts[chunk["id"]]["text"] += chunk["delta"]
        else:
            self._thoughts.pop(chunk["id"])["state"] = "done"

    def _apply_tool(self, kind: str, chunk: Json) -> None:
        call_id = chunk["toolCallId"]
        if kind == "tool-input-available":
            part: Json = {
                "type": "dynamic-tool",
                "toolName": chunk["toolName"],
                "toolCallId": call_id,
                "state": "input-available",
                "input": chunk["input"],
            }
            self._tools[call_id] = part
            self.parts.append(part)
        elif kind == "tool-output-available":
            self._tools[call_id] |= {"state": "output-available", "output": chunk["output"]}
        elif kind == "tool-output-error":
            self._tools[call_id] |= {"state": "output-error", "errorText": chunk["errorText"]}

    @property
    def open_text(self) -> str | None:
        """The id of the text part that is being written."""
        return next(iter(self._texts), None)

    @property
    def step_messages(self) -> int:
        """How many messages the step under way has shown, the one that is being written included."""
        return len(self._step_texts)

    @property
    def step_text(self) -> str:
        """What the step under way has shown, as its model wrote it: messages with a break between them."""
        return joined(*(part["text"] for part in self._step_texts))

    @property
    def draft(self) -> str:
        """The step's text while its model still writes, or did until it was cut off."""
        return self.step_text if self._texts else ""

    @property
    def open_reasoning(self) -> str | None:
        """The id of the reasoning part that is being written."""
        return next(iter(self._thoughts), None)

    def shows_call(self, call_id: str) -> bool:
        """Whether a tool call is shown."""
        return call_id in self._tools

    @property
    def open_calls(self) -> list[str]:
        """The ids of shown calls that have no outcome yet."""
        return [call_id for call_id, part in self._tools.items() if part["state"] == "input-available"]

    def shows_source(self, url: str) -> bool:
        """Whether a source is shown already."""
        return any(part["type"] == "source-url" and part["url"] == url for part in self.parts)
