"""``people_handoff``: puts the conversation before a person of the team."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from lanekeeper.tools import Example, Tool, ToolContext, ToolFailure, ToolInput, ToolOutput

DESCRIPTION = """\
Asks a person of the team to look at this conversation. Use it when the person asks for a human, when they are upset \
and you cannot put it right, and when you have failed twice at the same thing. Do not use it for what you can answer \
yourself, nor because a question is hard, and not a second time for the same matter: once is enough until somebody has \
come. It does not connect a call, does not send anything, and does not know when somebody will have time: promise no \
hour and no outcome. For facts use web_search instead."""

NEXT = (
    "The team has it on their list and reads the conversation here, so nothing has to be told again. Nobody is in the "
    "conversation yet. Say that in a sentence, and go on helping with what you can."
)


class HandoffInput(ToolInput):
    """Arguments of ``people_handoff``."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)] = Field(
        description="For the colleague who takes over: what the person wants and what was tried, in one or two "
        "sentences. No passwords, card numbers or health details."
    )


class HandoffOutput(ToolOutput):
    """That somebody was asked for, and what to say about it."""

    state: Literal["asked"]
    next: str


async def handoff(context: ToolContext, given: HandoffInput) -> HandoffOutput:
    """Put it on the team's list, with this call's result."""
    if context.staff is None:
        raise ToolFailure(
            "No person of the team can be asked for from here.", "Say so, and go on helping with what you can."
        )
    context.staff.open(given.reason)
    return HandoffOutput(state="asked", next=NEXT)


PEOPLE_HANDOFF = Tool(
    name="people_handoff",
    description=DESCRIPTION,
    input=HandoffInput,
    output=HandoffOutput,
    run=handoff,
    effects="write",
    examples=(
        Example(
            "can I please talk to a real person about this",
            HandoffInput(reason="Wants to speak with a person about a reply that did not help."),
        ),
        Example(
            "das ist jetzt das dritte mal dass das nicht klappt!!",
            HandoffInput(reason="Tried three times and was given wrong opening hours each time; is annoyed."),
        ),
    ),
)
