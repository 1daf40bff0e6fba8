"""A chat request as a conversation: what is to be answered, what was looked up for it, and what was said before."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.devkit.mainline.scripts import Call

MOST_PENDING = 3
MOST_ASKED = 40
"""How far back the demo model remembers, in messages of the person."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A tool call that has been made, with the text of its result."""

    name: str
    args: dict[str, Any]
    result: str

    @property
    def output(self) -> dict[str, Any]:
        """The result as an object; a result that is none stands under ``text``."""
        try:
            value = json.loads(self.result)
        except ValueError:
            value = self.result
        return value if isinstance(value, dict) else {"results" if isinstance(value, list) else "text": value}

    @property
    def failure(self) -> str:
        """What went wrong, in the tool's own words, or empty."""
        error = self.output.get("error")
        if not error:
            return ""
        message = error.get("message") if isinstance(error, dict) else error
        return str(message)


@dataclass(frozen=True, slots=True)
class Conversation:
    """One request, read.

    Attributes:
        pending: the person's messages that have no answer yet, oldest first.
        looked: the tool calls made for them.
        said: the beginning of this very answer, when an earlier attempt was cut off after it.
        note: what the system tells for this reply only.
        asked: the person's latest messages before those, oldest first.
        answered: the latest answers, oldest first.
        looked_before: the tool calls of the latest turns.
        tools: the parameters of each tool on offer, by name.
        told: what the system tells before the conversation.
    """

    pending: tuple[str, ...]
    looked: tuple[Looked, ...]
    said: str
    note: str
    asked: tuple[str, ...]
    answered: tuple[str, ...]
    looked_before: tuple[Looked, ...]
    tools: dict[str, dict[str, Any]]
    told: str = ""

    @classmethod
    def read(cls, body: dict[str, Any]) -> "Conversation":
        """The conversation in the body of a chat request."""
        messages = list(body["messages"])
        note = ""
        while len(messages) > 1 and messages[-1]["role"] in ("system", "developer"):
            note = f"{plain_text(messages.pop())}\n{note}"
        said = ""
        if messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
            said = plain_text(messages.pop())
        begin = last_answer(messages) + 1
        before, turn = messages[:begin], messages[begin:]
        return cls(
            pending=_of_role(turn, "user")[-MOST_PENDING:],
            looked=_looked(turn),
            said=said,
            note=note,
            asked=_of_role(before, "user")[-MOST_ASKED:],
            answered=_of_role(before[-MOST_ASKED:], "assistant"),
            looked_before=_looked(before[-MOST_ASKED:]),
            tools=_tools(body.get("tools") or ()),
            told="\n".join(plain_text(one) for one in messages if one["role"] in ("system", "developer")),
        )

    def result(self, call: Call) -> Looked | None:
        """The result of a call, when it has been made for this answer."""
        return next((made for made in self.looked if (made.name, made.args) == (call.name, call.args)), None)


def plain_text(message: dict[str, Any]) -> str:
    """The text of a message, without images and other parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def last_answer(messages: Sequence[dict[str, Any]]) -> int:
    """Where the last answer stands that called no tool; -1 when there is none."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] == "assistant" and not messages[index].get("tool_calls"):
            return index
    return -1


def _of_role(messages: Sequence[dict[str, Any]], role: str) -> tuple[str, ...]:
    texts = (plain_text(message) for message in messages if message["role"] == role)
    return tuple(text for text in texts if text.strip())


def _looked(messages: Sequence[dict[str, Any]]) -> tuple[Looked, ...]:
    results = {message["tool_call_id"]: plain_text(message) for message in messages if message["role"] == "tool"}
    looked = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            try:
                args = json.loads(function["arguments"])
            except ValueError:
                continue
            if call["id"] in results and isinstance(args, dict):
                looked.append(Looked(function["name"], args, results[call["id"]]))
    return tuple(looked)


def _tools(tools: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in tools}
