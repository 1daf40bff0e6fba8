"""Whether a message asks, in so many words, for what it says to be kept. Pure."""

from lanekeeper.memory.rules import bare
from lanekeeper.memory.wish_list import wish_list


def asks_to_keep(said: str) -> bool:
    """Whether a message asks for that, in one of the languages of the fixed lines.

    Only then may health details that it holds be kept (W5). It is told by word lists and not by a model, so that no
    answer of a model can claim it.
    """
    return wish_list("asking").search(bare(said)) is not None
