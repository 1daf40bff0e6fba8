"""How full the model's window is: what a provider has counted, and an estimate of what came since (C2, B070). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage

from lanekeeper.mainline import tokens
from lanekeeper.mainline.messages import USAGE, to_wire
from lanekeeper.mainline.text import dumps


@dataclass(frozen=True, slots=True)
class Fill:
    """The size of the next request.

    Attributes:
        tokens: how many it will be, about.
        counted: how many of them a provider has counted; 0 where none ever did.
    """

    tokens: int
    counted: int

    @classmethod
    def of(cls, fixed: str, messages: Sequence[AnyMessage]) -> "Fill":
        """The size of a request with this conversation.

        The last answer knows what the provider counted for it: the whole request before it, tools included, and the
        answer itself. Only what came after is estimated, by the same measure by which the provider's count differed
        from our own estimate then. So an estimate that is wrong for a language mends itself with the first answer.

        Args:
            fixed: what stands before the messages, as it is sent: tools, system prompt, profile.
            messages: the conversation, oldest first.
        """
        for index in range(len(messages) - 1, -1, -1):
            message = messages[index]
            usage = message.additional_kwargs.get(USAGE) if isinstance(message, AIMessage) else None
            if usage:
                counted = int(usage["input"]) + int(usage["output"])
                later = messages[index + 1 :]
                if not later:
                    return cls(counted, counted)
                factor = tokens.believable(counted, _estimate(fixed, messages[: index + 1]))
                return cls(counted + round(_estimate("", later) * factor), counted)
        return cls(_estimate(fixed, messages), 0)

    def passes(self, budget: int, share: float) -> bool:
        """Whether this is more than that share of a budget of tokens."""
        return self.tokens > budget * share


def _estimate(fixed: str, messages: Sequence[AnyMessage]) -> int:
    written = fixed + dumps(to_wire(messages)) if messages else fixed
    return tokens.estimate(written)
