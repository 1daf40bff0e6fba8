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


class Keeping:
    """What the calls of one answer keep: together never more than the limit, in whatever order they come to an end.

    Args:
        state: what was kept before them, as all of them see it.
        calls: their ids, in the order in which they were asked for.
        limits: how many bytes may be kept.
    """

    def __init__(self, state: Mapping[str, Any], calls: Iterable[str], limits: Limits) -> None:
        self._state = state
        self._most = limits.state_bytes
        self._kept: dict[str, Json] = {call_id: {} for call_id in calls}

    def keep(self, call_id: str, update: Json) -> None:
        """Keep what a call wants kept, beside what the others do.

        Raises:
            ValueError, TypeError: it is no JSON, or the limit would be passed with it. Then nothing is kept of it.
        """
        if not update:
            return
        kept = {**self._kept, call_id: update}
        after: Json = dict(self._state)
        for one in kept.values():
            after = merged(after, one)
        if len(dumps(after).encode()) > self._most:
            raise ValueError(f"what the tools of a conversation keep passes {self._most} bytes")
        self._kept = kept


def state_after(state: Mapping[str, Any], results: "Iterable[BaseMessage]") -> Json:
    """The state once these results are recorded. Of two that keep the same name, the later call's value stays."""
    after = dict(state)
    for result in results:
        # Messages other than results have no artifact.
        recorded = getattr(result, "artifact", None) or {}
        after = merged(after, recorded.get(UPDATE, {}))
    return after
