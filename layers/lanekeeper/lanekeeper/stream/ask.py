"""What a request asks for: whose turn, and from which event on."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from lanekeeper.errors import Problem
from lanekeeper.limits import Limits

_PATH = re.compile(r"/chat/([^/]*)/stream")
_ID = re.compile(r"[A-Za-z0-9._~-]+")
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Ask:
    """A checked request. Ids are URL-safe; ``after`` is 0 when the client has no event yet."""

    conversation_id: str
    turn_id: str | None
    after: int
    authorization: str | None

    @classmethod
    def of(cls, scope: Any, limits: Limits) -> "Ask":
        """Read an ASGI scope.

        Raises:
            Problem: 404 for another path or an id that nobody can have, 405, or 422 for an event id that is no number.
        """
        path = _PATH.fullmatch(scope["path"])
        if path is None:
            raise Problem(404, "not_found", "There is nothing at this address.", "Check the address.")
        if scope["method"] != "GET":
            raise Problem(405, "method_not_allowed", "A stream can only be read.", "Use GET.")
        headers = {bytes(name).lower(): bytes(value).decode("latin-1").strip() for name, value in scope["headers"]}
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=None)
        turn_id = query.get("turn", [None])[0]
        if not _is_id(path[1], limits) or not (turn_id is None or _is_id(turn_id, limits)):
            raise Problem(404, "not_found", "There is no such conversation or turn.", "Check the ids.")
        return cls(
            conversation_id=path[1],
            turn_id=turn_id,
            # A browser that reconnects repeats its address and knows better by the header.
            after=_number(headers.get(b"last-event-id") or query.get("after", [""])[0]),
            authorization=headers.get(b"authorization"),
        )


def _is_id(text: str, limits: Limits) -> bool:
    return len(text) <= limits.id_chars and _ID.fullmatch(text) is not None


def _number(text: str) -> int:
    if not text:
        return 0
    if not _NUMBER.fullmatch(text):
        raise Problem(422, "invalid", "The id of the last event is no number.", "Send the id of an event you received.")
    return int(text)
