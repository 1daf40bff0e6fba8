"""Which agents there are. The first is the one that answers when a message names none."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListedAgent:
    """What a client may know of an agent."""

    id: str
    name: str


ASSISTANT = ListedAgent("assistant", "Assistant")

CATALOGUE: tuple[ListedAgent, ...] = (ASSISTANT,)
