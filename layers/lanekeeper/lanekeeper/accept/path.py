"""Ids in paths, and where the API stands."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Path

from lanekeeper.errors import Problem
from lanekeeper.inbox.rules import is_id
from lanekeeper.limits import Limits

ConversationId = Annotated[str, Path(alias="conversationId", description="Its id, or the client's own name for it.")]


def known_id(text: str, limits: Limits) -> str:
    """An id from a path, when it is one that anything could have (B041).

    Raises:
        Problem: 404.
    """
    if not is_id(text, limits.id_chars):
        raise Problem(404, "not_found", "There is no such conversation.", "Open another one, or start a new one.")
    return text


def prefix(scope: Mapping[str, Any]) -> str:
    """What stands before every path of ours, such as ``/prod`` under a stage's own address; mostly nothing."""
    event = scope.get("aws.event")
    if not isinstance(event, Mapping):
        return ""
    seen, ours = event.get("requestContext", {}).get("path"), event.get("path")
    if isinstance(seen, str) and isinstance(ours, str) and seen.endswith(ours):
        return seen.removesuffix(ours).rstrip("/")
    return ""
