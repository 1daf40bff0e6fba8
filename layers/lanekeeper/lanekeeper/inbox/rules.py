"""What a message must look like to be taken in, and what makes two of them the same. Pure."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Protocol

from lanekeeper.types import Json

# A token of RFC 3986's unreserved characters: it stands in a path as it is, and never holds a separator (B041).
ID_PATTERN = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
_ID = re.compile(ID_PATTERN)
_KEY = re.compile(r"[!-~]+")

# What a row's state is called to the person who sent it. A message that a turn has taken up or answered keeps the
# word of its acceptance: its stream tells the rest.
STATES = {"waiting": "waiting", "held": "held", "folded": "joined"}


@dataclass(frozen=True, slots=True)
class Named:
    """Something that goes along with a message, as its sender names it.

    Args:
        address: an upload's id or address, or a data URL.
        name: what its sender calls it.
    """

    address: str
    name: str | None = None


class Enclosed(Protocol):
    """What that stands for, once it is found."""

    @property
    def name(self) -> str:
        """What it is called."""

    def ui_part(self) -> Json:
        """How the transcript shows it."""

    def reference(self) -> Json:
        """What the model's thread keeps of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One message as its sender means it.

    Attributes:
        key: what makes a repeat of it a repeat, for this person.
        text: what the person wrote.
        message_id: its id in the transcript.
        conversation: the id or alias of the conversation it goes to; None begins one.
        may_begin: whether an unknown ``conversation`` is begun under that alias, or refused.
        again: whether it asks for another answer to a message that may be there already.
        replaces: what tells that wish from an earlier one: the answer it is to replace, or its own key.
        agent_id: who shall answer; None leaves it to the conversation.
        model_id: with which model; None leaves it to the conversation.
        timezone: the IANA zone that the person is in, when known.
        spoken: whether it was dictated.
        attachments: the uploads that go along.
        order: whether it is one of the words that are acted on at once, alone. It runs by itself (D5).
    """

    key: str
    text: str
    message_id: str
    conversation: str | None = None
    may_begin: bool = True
    again: bool = False
    replaces: str | None = None
    agent_id: str | None = None
    model_id: str | None = None
    timezone: str | None = None
    spoken: bool = False
    attachments: tuple["Named", ...] = ()
    order: bool = False

    @property
    def fingerprint(self) -> str:
        """A digest of what the message asks for: the same key with another one is no repeat."""
        asked = [self.text, self.conversation, self.may_begin, self.again, self.agent_id, self.model_id, self.spoken]
        asked += [attachment.address for attachment in self.attachments]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()

    @property
    def kind(self) -> str:
        """The kind of its inbox row. Only text joins a running turn, and nothing joins past another kind."""
        if self.again:
            return "button"  # asking for another answer is a button that was pressed
        return "control" if self.order else "text"


def is_id(text: str, max_chars: int) -> bool:
    """Whether a client may use this as an id: a short URL-safe token."""
    return len(text) <= max_chars and _ID.fullmatch(text) is not None


def is_key(text: str, max_chars: int) -> bool:
    """Whether a client may use this as an idempotency key: printable ASCII without spaces."""
    return len(text) <= max_chars and _KEY.fullmatch(text) is not None


def key_of(idempotency_key: str | None, message_id: str, again_for: str | None) -> str:
    """The key of a message: the one its sender named, else its id.

    Args:
        again_for: for another answer, the id of the answer it replaces. It makes a key of its own.
    """
    key = idempotency_key or message_id
    # A space is in no key and in no id, so the two parts can never be mistaken for another pair.
    return f"{key} {again_for}" if again_for else key


def title_of(text: str, max_chars: int) -> str:
    """A conversation's first title: the first line of its first message, cut at a word where there is one."""
    line = " ".join(next(iter(text.strip().splitlines()), "").split())
    if len(line) <= max_chars:
        return line
    head = line[: max_chars - 1]
    return (head.rpartition(" ")[0] or head) + "…"


def is_storable(value: Any) -> bool:
    """Whether Postgres can keep every string of a JSON value: none holds NUL or half of a surrogate pair."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "\x00" in one or not _is_whole(one):
                return False
        elif isinstance(one, dict):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return True


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def told_state(row_state: str) -> str:
    """The word for an inbox row's state in an answer: queued, joined, waiting or held."""
    return STATES.get(row_state, "queued")
