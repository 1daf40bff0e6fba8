"""Marks for providers that only cache what a request tells them to.

The marks move on with the conversation, so a request and the one before it are the same bytes once the marks are
taken out. To keep it so, every text is written as a list of parts, whether it carries a mark or not. Providers look
behind a mark for what an earlier request left in the cache, and do not count the mark itself as content.
"""

from collections.abc import Sequence

from lanekeeper.types import Json

KEY = "cache_control"
MARK = {"type": "ephemeral"}


def marked(sections: Sequence[Sequence[Json]], *, ends: int) -> list[list[Json]]:
    """The messages in parts, with a mark at the end of each of the first sections that can carry one.

    Args:
        sections: the messages of a request, in the sections that are cached one after the other.
        ends: how many of them end with a mark. Providers take four at most.
    """
    return [_mark_last(parts) if index < ends else parts for index, parts in enumerate(map(_in_parts, sections))]


def unmarked(messages: Sequence[Json]) -> list[Json]:
    """The messages without any mark: what two requests have in common is found in these."""
    return [{**message, "content": _without(message.get("content"))} for message in messages]


def _in_parts(section: Sequence[Json]) -> list[Json]:
    return [
        {**message, "content": [{"type": "text", "text": message["content"]}]}
        # No provider takes an empty text as a part.
        if message["content"] and isinstance(message["content"], str)
        else message
        for message in section
    ]


def _mark_last(section: list[Json]) -> list[Json]:
    for index in range(len(section) - 1, -1, -1):
        content = section[index]["content"]
        if isinstance(content, list):
            message = {**section[index], "content": [*content[:-1], {**content[-1], KEY: MARK}]}
            return [*section[:index], message, *section[index + 1 :]]
    return section


def _without(content: object) -> object:
    if not isinstance(content, list):
        return content
    return [{name: value for name, value in part.items() if name != KEY} for part in content]
