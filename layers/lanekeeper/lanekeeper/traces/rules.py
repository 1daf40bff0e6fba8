"""What a span may say. A name that is not listed here, or a value that could be somebody's words, is left out."""

import re
from collections.abc import Mapping

Value = str | int | float | bool

# By OpenTelemetry's conventions where it has a name for the thing.
ATTRIBUTES = frozenset(
    {
        "error.type",
        "gen_ai.operation.name",
        "gen_ai.request.model",
        "gen_ai.tool.name",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "lanekeeper.agent",
        "lanekeeper.attempt",
        "lanekeeper.failure",
        "lanekeeper.feature",
        "lanekeeper.first_reply_ms",
        "lanekeeper.hard_case",
        "lanekeeper.prompt.sha256",
        "lanekeeper.prompt.version",
        "lanekeeper.queued_ms",
        "lanekeeper.recall",
        "lanekeeper.recall.notes",
        "lanekeeper.state",
        "lanekeeper.turn",
        "user.id",
    }
)
# Ids, names, versions and hashes look like this; a sentence does not.
_PLAIN = re.compile(r"[\w.:/@-]{1,100}", re.ASCII)


def allowed(attributes: Mapping[str, Value | None]) -> dict[str, Value]:
    """The attributes that may stand in a span."""
    return {
        name: value
        for name, value in attributes.items()
        if name in ATTRIBUTES and (isinstance(value, int | float) or (isinstance(value, str) and is_plain(value)))
    }


def is_plain(text: str) -> bool:
    """Whether a text has the form of an id or a name, so that it may be one."""
    return _PLAIN.fullmatch(text) is not None
