"""Pages and the places between them. Pure."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lanekeeper.types import Json


@dataclass(frozen=True, slots=True)
class Page:
    """Some items, and the cursor that leads on from them, or None at the end."""

    items: list[Json]
    next: str | None

    def body(self) -> Json:
        """The contract's list shape."""
        return {"items": self.items, "next": self.next}


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list that is ordered by time and then by id; in a history also by position.

    A client gets it as one opaque URL-safe word.
    """

    at: datetime
    id: str
    position: int | None = None

    def __str__(self) -> str:
        text = json.dumps([self.at.isoformat(), self.id, self.position], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()

    @classmethod
    def read(cls, word: str) -> "Cursor":
        """The place that a word names.

        Raises:
            ValueError: it is no word of ours.
        """
        try:
            at, one_id, position = json.loads(base64.urlsafe_b64decode(word.encode() + b"=="))
            moment = datetime.fromisoformat(at)
        except (TypeError, RecursionError, binascii.Error) as error:
            raise ValueError("not a cursor") from error
        if moment.tzinfo is None or not isinstance(one_id, str) or "\x00" in one_id or not one_id.isascii():
            raise ValueError("not a cursor")
        if position is not None and (type(position) is not int or not 0 <= position < 2**31):
            raise ValueError("not a cursor")
        return cls(moment, one_id, position)


def moment(at: datetime) -> str:
    """ISO 8601 in UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ui_message(row: Json) -> Json:
    """A row of the transcript as the AI SDK's UIMessage."""
    metadata = {**row["metadata"], "createdAt": moment(row["created_at"])}
    if row["turn_id"] is not None:
        metadata["turnId"] = row["turn_id"]
    return {"id": row["id"], "role": row["role"], "parts": row["parts"], "metadata": metadata}


def conversation(row: Json) -> Json:
    """A row of the list of conversations, as a client reads it."""
    return {
        "id": row["id"],
        "title": row["title"],
        "agentId": row["agent_id"],
        "modelId": row["model_id"],
        "createdAt": moment(row["created_at"]),
        "updatedAt": moment(row["updated_at"]),
    }


def fitting(items: Sequence[Json], max_bytes: int) -> int:
    """How many items from the front fit into ``max_bytes`` of JSON. At least one, so that a list always goes on."""
    total = 0
    for count, item in enumerate(items):
        total += len(json.dumps(item, ensure_ascii=False).encode())
        if total > max_bytes and count:
            return count
    return len(items)


def place(row: Json, key: str, position: Any = None) -> str:
    """The cursor just after a row whose time stands under ``key``."""
    return str(Cursor(row[key], row["id"], position))
