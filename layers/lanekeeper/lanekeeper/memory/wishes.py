"""What a person asks of memory in so many words, told by word lists: whether something is to be forgotten. Pure."""

from lanekeeper.memory.rules import bare
from lanekeeper.memory.wish_list import wish_list

# A wish stands near the beginning or the end of what somebody writes, never in the middle of a page of something else.
_MOST_CHARS = 2_000


def asks_to_forget(text: str) -> bool:
    """Whether a message asks for something to be forgotten, in one of the languages of the fixed lines.

    Memory then keeps silent for the reply: looking up what is to be forgotten would put it before the model (W4).
    """
    near = text if len(text) <= 2 * _MOST_CHARS else f"{text[:_MOST_CHARS]}\n{text[-_MOST_CHARS:]}"
    return wish_list("wishes").search(bare(near)) is not None
