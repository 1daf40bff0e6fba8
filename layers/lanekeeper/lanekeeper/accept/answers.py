"""What the routes answer, for the OpenAPI document."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Answer(BaseModel):
    """A JSON object with camelCase names."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)


class Fault(Answer):
    """What went wrong, in plain words."""

    code: str
    message: str
    retryable: bool
    next_step: str


class Refusal(Answer):
    """Every refusal has this shape."""

    error: Fault


class Accepted(Answer):
    """A message that is safe. ``stream`` plays its turn."""

    conversation_id: str
    message_id: str
    turn_id: str
    stream: str
    state: Literal["queued", "joined", "waiting", "held"]


class Stopped(Answer):
    """What a wish to stop met."""

    state: Literal["stopping", "stopped", "idle"]
    turn_id: str | None


class Upload(Answer):
    """A picture or a file, and what became of it. ``message`` says why it was not taken."""

    upload_id: str
    kind: Literal["image", "file"]
    verdict: Literal["pending", "ok", "refused", "sensitive"]
    message: str = ""


class Conversation(Answer):
    """One conversation of the list."""

    id: str
    title: str
    agent_id: str
    model_id: str | None
    created_at: datetime
    updated_at: datetime


class ConversationPage(Answer):
    """A page of the list; ``next`` is the cursor of the following one."""

    items: list[Conversation]
    next: str | None


class Message(Answer):
    """An AI SDK UIMessage."""

    id: str
    role: Literal["user", "assistant", "staff"]
    parts: list[dict[str, Any]]
    metadata: dict[str, Any]


class MessagePage(Answer):
    """Messages, oldest first."""

    items: list[Message]
    next: str | None


class Choice(Answer):
    """Something to choose, by its public id."""

    id: str
    name: str


class ChoicePage(Answer):
    """All there is to choose; ``next`` is always null."""

    items: list[Choice]
    next: str | None


class Amount(Answer):
    """An amount of money in minor units."""

    amount: int
    currency: str


class Me(Answer):
    """The signed-in person."""

    id: str
    name: str | None
    groups: list[str]
    timezone: str
    home_city: str | None
    plan_tier: str | None
    budget: Amount | None


class NoteSource(Answer):
    """The message that a note comes from, in the person's own words."""

    id: str
    conversation_id: str
    text: str
    created_at: datetime


class Note(Answer):
    """What is noted of a person: one fact."""

    id: str
    kind: Literal["fact", "preference", "dislike", "plan"]
    subject: str
    body: str
    source: Literal["stated", "inferred"]
    saved_at: datetime
    expires_at: datetime | None
    source_message: NoteSource


class NotePage(Answer):
    """Notes, the newest first."""

    items: list[Note]
    next: str | None


class ExportPage(Answer):
    """What is kept of a person. ``type`` of each item: profile, note, conversation or message."""

    items: list[dict[str, Any]]
    next: str | None


class Health(Answer):
    """The function is up."""

    status: Literal["ok"]


class Ready(Answer):
    """What every turn needs, and whether it is there."""

    status: Literal["ok"]
    checks: dict[Literal["database", "model"], Literal["ok", "failed"]]


class Unready(Refusal):
    """What is not there, as an error that also names each check."""

    checks: dict[Literal["database", "model"], Literal["ok", "failed"]]
