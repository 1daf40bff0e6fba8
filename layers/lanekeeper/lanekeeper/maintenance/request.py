"""A conversation's own request, for a model that is to read it again: the same bytes as its turns sent (C1, N6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lanekeeper.compaction import History
from lanekeeper.context import Profile, model_input
from lanekeeper.graph import ThreadMessage
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.tools import Money, Toolset
from lanekeeper.types import Json, Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRequest:
    """What stands around the messages of a conversation, as its turns send it.

    Attributes:
        model: the one that read it last, whose provider has it in its cache.
        prompt: the agent's fixed part.
        tools: what the agent may call. The definitions go along, because the cache begins with them.
        profile: who the person is.
    """

    model: Model
    prompt: Prompt
    tools: Toolset
    profile: Profile

    def body(
        self, messages: Sequence[ThreadMessage], summary: str | None, instruction: str, *, max_tokens: int
    ) -> Json:
        """The request with these messages, the summary before them, and one last instruction."""
        shown = [one.message for one in messages]
        asked = model_input(self.prompt, shown, [instruction], profile=self.profile, summary=summary)
        # Anthropic reads all messages anew when the choice of tools is another one than before.
        choice = None if self.model.cache == "marks" or not self.tools.definitions else "none"
        return chat_body(
            asked.wire(self.model), tools=self.tools.definitions, tool_choice=choice, max_tokens=max_tokens
        )


def profile_of(history: History) -> Profile:
    """The profile of a conversation's person, as a turn has it."""
    about = history.about
    amount, currency = about["budget_amount"], about["budget_currency"]
    return Profile.of(
        about["name"],
        history.roles,
        home_city=about["home_city"],
        plan_tier=about["plan_tier"],
        budget=None if currency is None else Money(minor_units=amount, currency=currency).text,
    )
