"""What a client was shown of one reply: the chunks of its stream, put together without any help of the product's."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

ENDS = ("finish", "abort", "error")


@dataclass(slots=True)
class Heard:
    """One reply as it came, over as many connections as it took."""

    seqs: list[int] = field(default_factory=list)
    chunks: list[Json] = field(default_factory=list)
    done: bool = False

    @property
    def last_seq(self) -> int:
        """Where to resume."""
        return self.seqs[-1] if self.seqs else 0

    @property
    def message_id(self) -> str:
        """The id under which the client shows the reply."""
        return next((str(chunk["messageId"]) for chunk in self.chunks if chunk["type"] == "start"), "")

    @property
    def turn_id(self) -> str:
        """The turn that answered, as the stream tells it."""
        return next((str(chunk["data"]["turnId"]) for chunk in self.chunks if chunk["type"] == "data-turn"), "")

    def faults(self) -> list[str]:
        """What no stream may do, whatever the machines went through."""
        found = []
        if self.seqs != list(range(1, len(self.seqs) + 1)):
            found.append(f"events are numbered {self.seqs}")
        kinds = [chunk["type"] for chunk in self.chunks]
        if kinds.count("start") != 1 or kinds[0] != "start":
            found.append(f"it does not begin once, with start: {kinds}")
        if sum(kinds.count(end) for end in ENDS) != 1 or kinds[-1] not in ENDS:
            found.append(f"it does not end once: {kinds}")
        texts = [chunk["id"] for chunk in self.chunks if chunk["type"] == "text-start"]
        if len(texts) != len(set(texts)):
            found.append(f"a text part is opened twice: {texts}")
        return found

    def parts(self) -> list[Json]:
        """The parts of the message as a client holds them at the end."""
        parts: list[Json] = []
        texts: dict[str, Json] = {}
        tools: dict[str, Json] = {}
        for chunk in self.chunks:
            match chunk["type"]:
                case "start-step":
                    parts.append({"type": "step-start"})
                case "text-start":
                    texts[chunk["id"]] = {"type": "text", "text": "", "state": "streaming"}
                    parts.append(texts[chunk["id"]])
                case "text-delta":
                    texts[chunk["id"]]["text"] += chunk["delta"]
                case "text-end":
                    texts[chunk["id"]]["state"] = "done"
                case "tool-input-available":
                    tools[chunk["toolCallId"]] = {
                        "type": "dynamic-tool",
                        "toolName": chunk["toolName"],
                        "toolCallId": chunk["toolCallId"],
                        "state": "input-available",
                        "input": chunk["input"],
                    }
                    parts.append(tools[chunk["toolCallId"]])
                case "tool-output-available":
                    tools[chunk["toolCallId"]] |= {"state": "output-available", "output": chunk["output"]}
                case "tool-output-error":
                    tools[chunk["toolCallId"]] |= {"state": "output-error", "errorText": chunk["errorText"]}
                case "source-url":
                    parts.append(chunk)
                case kind if kind.startswith("data-") and not chunk.get("transient"):
                    parts.append(chunk)
        return parts
