"""What the files of a batch hold: a request a line on the way there, an answer or a failure a line on the way back."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from lanekeeper.ledger.rules import Price, Usage
from lanekeeper.mainline import text
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.usage import highest
from lanekeeper.types import Json

ENDPOINT = "/v1/chat/completions"
SHARE = 0.5
"""What a call in a batch costs of its usual price, where the gateway names none itself."""

State = Literal["open", "over"]

_OPEN = frozenset({"validating", "in_progress", "finalizing", "cancelling"})


@dataclass(frozen=True, slots=True)
class Line:
    """One request of a batch. ``id`` comes back with its answer; ``body`` is a chat request without its model."""

    id: str
    user_id: str
    body: Json = field(repr=False)

    def written(self, model: Model) -> bytes:
        """The line as it stands in the file. A batch is many people's, so each line names its own."""
        body = {"model": model.gateway_id, "user": self.user_id} | self.body
        return (text.dumps({"custom_id": self.id, "method": "POST", "url": ENDPOINT, "body": body}) + "\n").encode()


@dataclass(frozen=True, slots=True)
class Standing:
    """How a batch stands: still open, or over with the files that it left. Over without any: it failed as a whole."""

    state: State
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a line: the assistant's message and what it used, or None and the gateway's short reason."""

    id: str
    message: Json | None = field(repr=False)
    usage: Usage = field(default_factory=Usage)
    reason: str = ""


def standing(told: object) -> Standing:
    """How a batch stands, by the gateway's word of it.

    Raises:
        MainlineError: it says nothing of the kind.
    """
    status = told.get("status") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(status, str):
        raise MainlineError("unavailable", retryable=True)
    if status.lower() in _OPEN:
        return Standing("open")
    files = (told.get("output_file_id"), told.get("error_file_id"))
    return Standing("over", tuple(file for file in files if isinstance(file, str) and file))


def answers_in(content: bytes) -> Iterator[Answer]:
    """The answers in a file of them. A line that is none is passed over: what it was for counts as unanswered."""
    for line in content.splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if isinstance(told, dict) and isinstance(told.get("custom_id"), str):
            yield _answer(told)


def price_of(usage: Usage, price: Price | None) -> int | None:
    """Micros of a call in a batch, rounded up: the gateway's own price, else the share of the table's, else None."""
    if usage.micros is not None or price is None:
        return usage.micros
    return -int(-price.of(usage) * SHARE // 1)


def _answer(told: Json) -> Answer:
    response = _object(told.get("response"))
    body = _object(response.get("body"))
    usage = highest(Usage(), body.get("usage"))
    message = _object(next(iter(_list(body.get("choices"))), None)).get("message")
    if response.get("status_code") == 200 and isinstance(message, dict):
        return Answer(told["custom_id"], message, usage)
    error = _object(told.get("error")) or _object(body.get("error"))
    reason = error.get("code") or error.get("type") or response.get("status_code") or "unanswered"
    return Answer(told["custom_id"], None, usage, _word(reason))


def _word(reason: Any) -> str:
    """A short word for the books. Anything longer could quote a person."""
    word = str(reason)
    return word if word.isascii() and word.replace("_", "").isalnum() and len(word) <= 60 else "unanswered"


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else ()
