"""What a conversation's tools keep for later calls: a few small values by name."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lanekeeper.limits import Limits
from lanekeeper.mainline.text import canonical, dumps
from lanekeeper.types import Json

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

UPDATE = "update"


def merged(state: Mapping[str, Any], update: Mapping[str, Any]) -> Json:
    """The state after an update: each value replaces the one of its name, None takes it away."""
    return {name: value for name, value in canonical({**state, **update}).items() if value is not None}


def checked(update: Mapping[str, Any], state: Mapping[str, Any], limits: Limits) -> Json:
    """An update in the form in which it is kept.

    Raises:
        ValueError, TypeError: it is no JSON, or the state would pass its byte limit with it.
    """
    if len(dumps(merged(state, update)).encode()) > limits.state_bytes:
        raise ValueError(f"what the tools of a conversation keep passes {limits.state_bytes} bytes")
    kept: Json = canonical(dict(update))
    return kept


def state_after(state: Mapping[str, Any], results: "Iterable[BaseMessage]") -> Json:
    """The state once these results are recorded. Of two that keep the same name, the later call's value stays."""
    after = dict(state)
    for result in results:
        # Messages other than results have no artifact.
        recorded = getattr(result, "artifact", None) or {}
        after = merged(after, recorded.get(UPDATE, {}))
    return after
