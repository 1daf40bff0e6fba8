"""The prompt: fixed first, then the conversation as it grew, then what counts for this reply only.

Tools and the system prompt never change within a release and messages are only ever appended, so what was sent for
one reply is the beginning of what is sent for the next, and the provider's cache holds (C1). What changes from reply
to reply stands last and is never stored (C5).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from lanekeeper.context.profile import Profile
from lanekeeper.context.turn_only import CONTINUE, TURN_ONLY
from lanekeeper.mainline import cache_marks
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.messages import to_wire
from lanekeeper.types import Json, Prompt

NOBODY = Profile()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInput:
    """The input of one model call, in the sections in which it is cached.

    Attributes:
        system: the system prompt.
        profile: who the person is, and a summary of what is no longer sent; often empty.
        earlier: the conversation up to the end of the previous turn.
        turn: what this turn has added.
        draft: words of this very answer that have been shown already.
        notes: what counts for this reply only.
    """

    system: tuple[AnyMessage, ...]
    profile: tuple[AnyMessage, ...]
    earlier: Sequence[AnyMessage]
    turn: Sequence[AnyMessage]
    draft: tuple[AnyMessage, ...]
    notes: str

    def wire(self, model: Model) -> list[Json]:
        """The messages of a request to this model.

        Some gateways move every system message to the front. For their models the notes go as the person's, or the
        prompt would change at its beginning with every reply.
        """
        last = HumanMessage(self.notes) if model.notes == "user" else SystemMessage(self.notes)
        sections = [
            to_wire(section, model)
            for section in (
                self.system,
                self.profile,
                self.earlier,
                self.turn,
                self.draft,
                [last] if self.notes else [],
            )
        ]
        if model.cache == "marks":
            sections = cache_marks.marked(sections, ends=3)
        return [message for section in sections for message in section]


def model_input(
    prompt: Prompt,
    messages: Sequence[AnyMessage],
    turn_only: Sequence[str],
    said: str = "",
    *,
    added: int = 0,
    profile: Profile = NOBODY,
    summary: str | None = None,
) -> ModelInput:
    """The whole input of one model call.

    Args:
        prompt: the agent's fixed part.
        messages: the conversation, oldest first, ending with what is to be answered.
        turn_only: blocks for this reply only.
        said: text of this very answer that has been shown before its writer died; the model is to go on from it.
        added: how many of the messages, at their end, this turn has added.
        profile: who the person is.
        summary: what was said before the first of the messages.
    """
    blocks = [*turn_only, CONTINUE] if said else list(turn_only)
    about = profile.block(summary)
    begin = len(messages) - added
    return ModelInput(
        system=(SystemMessage(prompt.text),),
        profile=(SystemMessage(about),) if about else (),
        earlier=messages[:begin],
        turn=messages[begin:],
        draft=(AIMessage(said),) if said else (),
        notes="\n".join([TURN_ONLY, *blocks]) if blocks else "",
    )
