"""Three other ways to keep a conversation, each with a fake Mainline of its own: the same code, prices and cache.

They send the product's own system prompt and tools, less those of its memory, which they do not have. They judge, note
and forget nothing: what the product spends on that, they do not.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_messages, trim_messages
from langchain_core.messages.utils import convert_to_openai_messages, count_tokens_approximately, get_buffer_string

from tests.devkit.bench.figures import Figures
from tests.devkit.bench.month_answers import Answers
from tests.devkit.bench.month_model import summary
from tests.devkit.bench.month_script import Message
from tests.devkit.mainline import chunks
from tests.devkit.mainline.caller import Caller
from tests.devkit.mainline.chat import Chat
from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.demo import THINKING_S, TOKEN_MS
from tests.devkit.mainline.requests import RequestLog
from tests.devkit.mainline.scripts import Call, Script

Json = dict[str, Any]

WINDOW = 10
# The middleware's numbers as its documentation shows them, and its own bound on what a summary is made of.
TRIGGER_TOKENS, KEPT_MESSAGES, TRIM_TOKENS = 4_000, 20, 4_000
ASKED = """\
The history of a conversation has grown too long, and what you write now will take its place. Go through all of it and
take out what matters most for going on: what the person wants, what they said of themselves, what was decided and
found out, and what is still open. Leave out what is done with, and repeat nothing. Answer with what you took out and
nothing else: no greeting, no remark before it or after it.

The messages:
{messages}
"""
STANDS_FOR = "Here is a summary of the conversation to date:\n\n"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a conversation in each request: the model, the system prompt, the tools."""

    model: str
    system: str
    tools: Sequence[Json]

    @classmethod
    def of(cls, body: Json) -> "Frame":
        """The frame of the product's own request, without the tools of its memory."""
        tools = [tool for tool in body["tools"] if not tool["function"]["name"].startswith("memory_")]
        return cls(body["model"], body["messages"][0]["content"], tools)


class Moments(Clock):
    """A clock that stands where the script puts it."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0

    def now(self) -> float:
        return self.at


class FullHistory:
    """Sends everything that was ever said."""

    name = "full history"

    def __init__(self, frame: Frame, answers: Answers) -> None:
        self.answers = answers
        self.spent: dict[str, Figures] = {}
        self.waited_s: list[float] = []
        self._frame = frame
        self._clock = Moments()
        self._script = Script()
        self._log = RequestLog(self._clock)
        self._chat = Chat(self._clock, self._log, lambda body, feature: self._script)
        self._history: list[Json] = []

    def turn(self, message: Message, looked: Sequence[Json]) -> None:
        """Answer one message as the script says, after looking up what the product's model looked up."""
        self._clock.at = message.at.timestamp()
        self._history.append({"role": "user", "content": message.text})
        self._shorten(message.at)
        for step in looked:
            if step["role"] == "assistant":
                made = [(call["function"]["name"], call["function"]["arguments"]) for call in step["tool_calls"]]
                self._ask(message.at, Script(calls=tuple(Call(name, json.loads(args)) for name, args in made)))
            self._history.append(step)
        self._ask(message.at, Script(text=message.answer))
        self._history.append({"role": "assistant", "content": message.answer})

    def _ask(self, at: datetime, script: Script) -> None:
        messages = [{"role": "system", "content": self._frame.system}, *self._sent()]
        self._call(at, "chat", {"messages": messages, "tools": self._frame.tools}, script)

    def _sent(self) -> list[Json]:
        return self._history

    def _shorten(self, at: datetime) -> None:
        """Make room before the model is asked."""

    def _call(self, at: datetime, feature: str, rest: Json, script: Script) -> None:
        body = {"model": self._frame.model, **rest}
        raw = json.dumps(body, ensure_ascii=False)
        self._script = script
        used = self._chat.prepare(raw.encode(), body, Caller("rival", feature)).usage(None)
        self._log.clear()
        self.answers.saw(at, feature, raw)
        spent = self.spent.setdefault(feature, dict.fromkeys(("calls", "input", "cached", "output", "dollars"), 0))
        spent["calls"] += 1
        spent["input"] += used["prompt_tokens"]
        spent["cached"] += used["prompt_tokens_details"]["cached_tokens"]
        spent["output"] += used["completion_tokens"]
        spent["dollars"] += used["cost"]


class Window(FullHistory):
    """Sends the last ten messages."""

    name = f"last {WINDOW} messages"

    def _sent(self) -> list[Json]:
        # It looks no further back than this, however long the history is.
        latest = convert_to_messages(self._history[-4 * WINDOW :])
        kept = trim_messages(latest, max_tokens=WINDOW, token_counter=len, strategy="last", start_on="human")
        return _wire(kept)


class Middleware(FullHistory):
    """Summarises inside the turn once the messages pass a number of tokens, as LangChain's SummarizationMiddleware."""

    name = "summary inside the turn"

    def _shorten(self, at: datetime) -> None:
        messages = convert_to_messages(self._history)
        if count_tokens_approximately(messages) < TRIGGER_TOKENS:
            return
        cut = len(messages) - KEPT_MESSAGES
        while cut > 0 and messages[cut].type == "tool":
            # Never between a call and its results.
            cut -= 1
        if cut <= 0:
            return
        read = trim_messages(
            messages[:cut],
            max_tokens=TRIM_TOKENS,
            token_counter=count_tokens_approximately,
            strategy="last",
            start_on="human",
            allow_partial=True,
        )
        asked = [{"role": "user", "content": ASKED.format(messages=get_buffer_string(read))}]
        text = summary(asked)
        self._call(at, "summary", {"messages": asked}, Script(text=text))
        self.waited_s.append(THINKING_S + TOKEN_MS / 1000 * len(chunks.pieces(text)))
        self._history = [{"role": "user", "content": STANDS_FOR + text}, *_wire(messages[cut:])]


def _wire(messages: Sequence[BaseMessage]) -> list[Json]:
    wired: list[Json] = convert_to_openai_messages(list(messages))
    # A call has no text beside it, as it was answered.
    return [{**one, "content": one["content"] or None} if one.get("tool_calls") else one for one in wired]


RIVALS = (FullHistory, Window, Middleware)
