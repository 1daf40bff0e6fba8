"""What the administrators' routes answer. Nothing here has room for what anyone said but the requests of dev."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from lanekeeper.accept.answers import Answer
from lanekeeper.types import Json

Time = Annotated[datetime, AfterValidator(lambda moment: moment.astimezone(UTC))]


class Paid(Answer):
    """One paid call. ``micros`` are millionths of the currency."""

    feature: str
    model: str
    status: Literal["exact", "estimated", "failed"]
    micros: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    at: Time


class Hit(Answer):
    """A limit that was met."""

    kind: str
    at: Time


class Taken(Answer):
    """A message that the turn answers. ``turnId`` is the turn its sender was told of."""

    kind: str
    state: str
    turn_id: str
    at: Time


class Span(Answer):
    """One thing that was done, in microseconds from the turn's beginning. ``parent`` is a place in the list."""

    name: str
    start_us: int
    us: int
    parent: int | None = None
    error: bool = False
    attributes: dict[str, Any] = Field(default_factory=dict)


class Trace(Answer):
    """A turn's spans, in the order in which they began."""

    spans: list[Span]


class ToolUse(Answer):
    """One tool call, by name and time."""

    name: str
    start_ms: float
    ms: float
    failed: bool


class SentRequest(Answer):
    """What was sent to a model, exactly. Kept for a while, for a sample of turns, and shown in dev only."""

    at: Time
    body: dict[str, Any]


class TurnLine(Answer):
    """A turn of the list. ``user`` is the person's hash, as logs have it."""

    id: str
    user: str = Field(validation_alias="user_hash")
    state: str
    attempt: int
    agent_id: str
    model_id: str | None
    prompt_version: str | None
    failure: str | None
    accepted_at: Time
    finished_at: Time | None
    timings: dict[str, Any]
    micros: int


class TurnPage(Answer):
    """Turns, the newest first; ``next`` is the following page's ``before``."""

    items: list[TurnLine]
    next: str | None


class Judged(Answer):
    """What was judged of the turn's message, by whom, and how long that took."""

    source: str
    scores: dict[str, Any]
    took_ms: int
    asked_at: Time


class TurnStory(Answer):
    """Everything about a turn but what was said.

    ``verdicts`` is null where no question was asked, ``trace`` where traces are sent elsewhere or have expired.
    """

    id: str
    user: str
    conversation_id: str
    state: str
    attempt: int
    agent_id: str
    model_id: str | None
    prompt_version: str | None
    prompt_hash: str | None
    failure: str | None
    accepted_at: Time
    started_at: Time | None
    first_reply_at: Time | None
    finished_at: Time | None
    timings: dict[str, Any]
    usage: dict[str, Any]
    messages: list[Taken]
    verdicts: Judged | None = None
    tools: list[ToolUse] = Field(default_factory=list)
    costs: list[Paid]
    micros: int = 0
    limits: list[Hit]
    trace: Trace | None = None
    requests: list[SentRequest] = Field(default_factory=list)


class Spending(Answer):
    """What one feature cost with one model on one day (UTC)."""

    day: date
    feature: str
    model: str
    calls: int
    failed: int
    estimated: int
    micros: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int


class Spender(Answer):
    """What one person cost, by the hash that logs have."""

    user: str = Field(validation_alias="user_hash")
    calls: int
    micros: int


class CostPage(Answer):
    """Costs by day, feature and model, and who cost most; ``next`` is always null."""

    items: list[Spending]
    next: str | None = None
    micros: int
    people: list[Spender]


class LimitCount(Answer):
    """How often a limit was met on one day (UTC), and by how many people."""

    day: date
    kind: str
    hits: int
    people: int


class LimitPage(Answer):
    """Limits by day and kind; ``next`` is always null."""

    items: list[LimitCount]
    next: str | None = None


class NightLine(Answer):
    """One night of the pass that writes notes: how many people it covered, skipped or failed, and is still at."""

    night: date
    covered: int
    skipped: int
    failed: int
    open: int
    ran_at: Time


class NightPage(Answer):
    """Nights, the newest first; ``next`` is always null, and ``lastRunAt`` where there is none."""

    items: list[NightLine]
    next: str | None = None
    last_run_at: Time | None


def as_json(answer: BaseModel) -> Json:
    """An answer as it is sent."""
    sent: Json = answer.model_dump(mode="json", by_alias=True)
    return sent
