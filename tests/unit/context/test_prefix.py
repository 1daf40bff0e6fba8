"""Each request, without what is for its reply only, begins the next one, whatever happens between them (C1, B072)."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from lanekeeper.context import ModelInput, Profile, model_input, turn_only
from lanekeeper.graph.message_rows import from_row, to_row
from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.cache_marks import unmarked
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.messages import answer
from lanekeeper.mainline.reply import Ending, ToolCall
from lanekeeper.mainline.text import dumps
from lanekeeper.tools import Toolset
from lanekeeper.types import Prompt
from tests.unit.mainline.test_messages import through_jsonb
from tests.unit.tools.toys import note_tool

TOYS = [note_tool(name=name) for name in ("note_save", "note_list", "web_search", "clock_now")]
PROMPT = Prompt("You help.", "v1", "abc")
PLAIN = Model(id="small", name="Small", gateway_id="small")
MARKED = Model(id="large", name="Large", gateway_id="claude", cache="marks", notes="user")
ZONES = ("UTC", "Asia/Tokyo", "America/Los_Angeles", "Europe/Madrid", "nonsense", "")
WORDS = ("hello", "grüße", "東京", "🦉", 'quo"te', "back\\slash", "<tag>", "line\nbreak", "1e400", "\u2028")


@dataclass
class Conversation:
    """A conversation as the engine keeps it, and the requests that were made of it."""

    dice: random.Random
    model: Model
    profile: Profile
    messages: list[AnyMessage] = field(default_factory=list)
    now: datetime = datetime(2026, 3, 28, 22, 0, tzinfo=UTC)
    tools: Toolset = field(default_factory=lambda: Toolset(TOYS, Limits()))
    turn_begins: int = 0
    requests: list[tuple[bytes, bytes]] = field(default_factory=list)

    def words(self) -> str:
        return " ".join(self.dice.choices(WORDS, k=self.dice.randint(1, 8)))

    def turn(self) -> None:
        """Something is asked; sometimes more comes, tools run, a draft dies, or the whole turn fails."""
        self.turn_begins = len(self.messages)
        self._add(HumanMessage(self.words()))
        for _ in range(self.dice.randint(0, 2)):
            self._between()
            self._ask()
            self._call_tools()
        self._between()
        self._ask(said=self.words() if self.dice.random() < 0.2 else "")
        if self.dice.random() < 0.15:
            self._fail()
        else:
            self._add(self._answer(self.words()))

    def _between(self) -> None:
        """Time passes, a worker is restarted, somebody writes on."""
        self.now += timedelta(seconds=self.dice.choice((14, 3600, 86_400)))
        if self.dice.random() < 0.4:
            self.messages = [from_row(through_jsonb(to_row(message))) for message in self.messages]
        if self.dice.random() < 0.4:
            shuffled = list(TOYS)
            self.dice.shuffle(shuffled)
            self.tools = Toolset(shuffled, Limits())
        if self.dice.random() < 0.3:
            self._add(HumanMessage(self.words()))

    def _ask(self, said: str = "") -> None:
        notes = turn_only(
            self.now,
            self.dice.choice(ZONES),
            recalled=self.words() if self.dice.random() < 0.5 else None,
            language=self.dice.choice((None, "de", "ja")),
        )
        asked = model_input(
            PROMPT,
            self.messages,
            notes,
            said,
            added=len(self.messages) - self.turn_begins,
            profile=self.profile,
        )
        lasting = ModelInput(
            system=asked.system, profile=asked.profile, earlier=asked.earlier, turn=asked.turn, draft=(), notes=""
        )
        self.requests.append((self._bytes(asked), self._bytes(lasting)))

    def _bytes(self, asked: ModelInput) -> bytes:
        return dumps(chat_body(unmarked(asked.wire(self.model)), tools=self.tools.definitions)).encode()

    def _call_tools(self) -> None:
        calls = [
            ToolCall(f"call_{len(self.messages)}_{number}", "note_save", {"b": self.words(), "a": 2.0})
            for number in range(self.dice.randint(1, 3))
        ]
        if self.dice.random() < 0.2:
            calls.append(ToolCall(f"call_{len(self.messages)}_x", "note_save", None, '{"cut'))
        self._add(self._answer("", *calls))
        for call in calls:
            self._add(ToolMessage(self.words(), tool_call_id=call.id, name=call.name))

    def _fail(self) -> None:
        """The draft that was shown and the honest line are kept."""
        self._add(AIMessage(self.words()))
        self._add(AIMessage("Sorry, I could not finish that."))

    def _answer(self, said: str, *calls: ToolCall) -> AIMessage:
        usage = Usage(input_tokens=self.dice.randint(1, 9999), output_tokens=5, reported=True)
        return answer(said, Ending(finish_reason="stop", usage=usage, calls=calls))

    def _add(self, message: AnyMessage) -> None:
        self.messages.append(message.model_copy(update={"id": f"msg_{len(self.messages)}"}))


def grows(requests: Sequence[tuple[bytes, bytes]]) -> bool:
    """Whether each request without its last block is, to the byte, the beginning of the next."""
    return all(later[0].startswith(earlier[1].removesuffix(b"]}")) for earlier, later in pairwise(requests))


@given(
    seed=st.integers(0, 2**32),
    model=st.sampled_from([PLAIN, MARKED]),
    profile=st.sampled_from([Profile(), Profile.of("Ana", ["staff"])]),
    turns=st.integers(2, 30),
)
@settings(max_examples=40, deadline=None)
def test_over_long_conversations_each_request_begins_the_next_b072(
    seed: int, model: Model, profile: Profile, turns: int
) -> None:
    talk = Conversation(random.Random(seed), model, profile)
    for _ in range(turns):
        talk.turn()
    assert grows(talk.requests)
    assert all(len(earlier[1]) < len(later[0]) for earlier, later in pairwise(talk.requests))


def changes_the_profile(talk: Conversation) -> None:
    talk.profile = Profile.of("Ana Lima")


def changes_a_message(talk: Conversation) -> None:
    talk.messages[0] = HumanMessage("something else", id="msg_0")


def changes_the_tools(talk: Conversation) -> None:
    talk.tools = Toolset(TOYS[:1], Limits())


CHANGES: list[Callable[[Conversation], None]] = [changes_the_profile, changes_a_message, changes_the_tools]


def test_what_does_change_the_beginning_is_noticed_and_holds_from_then_on() -> None:
    for change in CHANGES:
        talk = Conversation(random.Random(1), PLAIN, Profile.of("Ana"))
        talk.dice.random = lambda: 0.99  # type: ignore[method-assign] - no restart, no new order of tools
        talk.turn()
        change(talk)
        before = len(talk.requests)
        talk.turn()
        assert not grows(talk.requests), change.__name__
        talk.turn()
        assert grows(talk.requests[before:]), change.__name__
