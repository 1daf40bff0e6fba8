"""What the person has said in a turn."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage


def text_of(messages: Sequence[AnyMessage]) -> str:
    """The words of the person among some messages, each message on a line of its own; without the files beside them."""
    return "\n".join(message.text for message in messages if isinstance(message, HumanMessage)).strip()
