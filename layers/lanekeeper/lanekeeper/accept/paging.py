"""What all lists ask of a request: how much, and from which place on."""

from typing import Annotated

from fastapi import Query

from lanekeeper.accept.reading import invalid
from lanekeeper.conversations import Cursor
from lanekeeper.limits import Limits

PAGE_ITEMS = Limits().page_items
Limit = Annotated[int, Query(ge=1, le=PAGE_ITEMS, description="The most items to answer with.")]
Place = Annotated[str | None, Query(max_length=500, description="A cursor: the `next` of an earlier page.")]


def place_of(word: str | None) -> Cursor | None:
    """The place that a cursor names, if there is one.

    Raises:
        Problem: 422.
    """
    if not word:
        return None
    try:
        return Cursor.read(word)
    except ValueError:
        raise not_ours() from None


def not_ours() -> Exception:
    """The refusal of a cursor that no page has given."""
    return invalid("the cursor is not one of ours")
