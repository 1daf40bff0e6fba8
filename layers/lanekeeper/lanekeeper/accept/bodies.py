"""What a client may send. These models check it, and describe it in the OpenAPI document."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from lanekeeper.inbox.rules import ID_PATTERN
from lanekeeper.limits import Limits

# The contract's own numbers. A limit set lower is checked where the body is read.
_CONTRACT = Limits()

Id = Annotated[str, Field(pattern=f"^(?:{ID_PATTERN})$", max_length=_CONTRACT.id_chars)]
Text = Annotated[str, Field(max_length=_CONTRACT.text_chars)]


def _no_default(schema: dict[str, Any]) -> None:
    """Left out, the field changes nothing: its default only says that it was."""
    del schema["default"]


class Body(BaseModel):
    """A JSON object. Types are taken as they are; unknown fields are passed over."""

    model_config = ConfigDict(strict=True, alias_generator=to_camel, validate_by_name=False)


class Wishes(Body):
    """What both forms of a message may say beside the text."""

    agent_id: Id | None = None
    model_id: Id | None = None
    timezone: str | None = Field(None, description="The IANA zone the person is in, such as Europe/Berlin.")


class NativeMessage(Wishes):
    """A message in the product's own form."""

    text: Text = Field("", description="What the person wrote. It may be empty beside attachments only.")
    conversation_id: Id | None = Field(None, description="Left out, the message begins a conversation.")
    message_id: Id | None = Field(
        None, description="The client's id for the message; a repeat of it is no new message."
    )
    attachments: list[Id] = Field(
        default_factory=list, max_length=_CONTRACT.uploads_per_message, description="Ids of uploads."
    )
    spoken: bool = False


class SdkPart(Body):
    """One part of a UIMessage."""

    type: str
    text: str = ""
    url: str = Field("", description="Of a file: the address of an upload of ours, or a data URL.")
    filename: str | None = None


class SdkUserMessage(Body):
    """A user's UIMessage: the only one of the list that is read."""

    id: Id
    role: Literal["user"]
    parts: Annotated[list[SdkPart], Field(min_length=1)]


class SdkRequest(Wishes):
    """What an unmodified client of the AI SDK sends."""

    id: Id = Field(description="The client's name for the conversation.")
    messages: Annotated[
        list[Any], Field(min_length=1, description="UIMessages; only the last one of the user is read.")
    ]
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: Id | None = None


class Budget(Body):
    """An amount of money: 1500.00 EUR is 150000 of its minor units."""

    model_config = ConfigDict(extra="forbid")

    amount: Annotated[int, Field(ge=0, le=10**15, description="In minor units.")]
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$", description="ISO 4217.")]


Line = Annotated[str, Field(pattern=r"\S", max_length=_CONTRACT.profile_chars)]


class ProfileChange(Body):
    """What a person wants known of them. What is left out stays; null takes it away. Nothing else is taken."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    name: Line | None = Field(None, json_schema_extra=_no_default)
    timezone: Line = Field("", description="An IANA zone such as Europe/Berlin.", json_schema_extra=_no_default)
    home_city: Line | None = Field(None, json_schema_extra=_no_default)
    plan_tier: Line | None = Field(None, json_schema_extra=_no_default)
    budget: Budget | None = Field(None, json_schema_extra=_no_default)

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("nothing_to_change", "at least one field is required")
        return self


class ConversationChange(Body):
    """What is to change about a conversation: its title, its model, or both. What is left out stays."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["title"]}, {"required": ["modelId"]}]})

    title: Annotated[str, Field(pattern=r"\S", max_length=_CONTRACT.title_chars, json_schema_extra=_no_default)] = ""
    model_id: Id | None = Field(
        None, description="Who answers from now on; null leaves it to each turn.", json_schema_extra=_no_default
    )

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("nothing_to_change", "title or modelId is required")
        return self
