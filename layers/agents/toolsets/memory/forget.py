"""``memory_forget``: takes away what was kept about a subject."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from lanekeeper.tools import Example, Tool, ToolContext, ToolFailure, ToolInput, ToolOutput

DESCRIPTION = """\
Takes away what was kept about one subject, for good: from memory, from summaries, and from what you are shown of \
earlier messages. Use it when the person asks you to forget, delete or no longer remember something about themselves. \
Do not use it to correct a fact: memory_remember under the same subject replaces it. It does not delete the chat that \
the person sees, their account, or everything at once, and it does not return what was kept. When several things could \
be meant it takes nothing away and names them: ask which."""

NEXT = "It is forgotten. Say so in a few words, and never say again what it was, not even to confirm it."


class ForgetInput(ToolInput):
    """Arguments of ``memory_forget``."""

    subject: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="What it is about, in one to four words, such as seat on trains. Never the fact itself."
    )


class ForgetOutput(ToolOutput):
    """That it is gone, and what to say about it."""

    state: Literal["forgotten"]
    next: str


async def forget(context: ToolContext, given: ForgetInput) -> ForgetOutput:
    """Forget it, together with this call's result."""
    if context.memory is None:
        raise ToolFailure("Nothing can be forgotten from here.", "Say so, and go on without it.")
    await context.memory.forget(context.call_id, given.subject)
    return ForgetOutput(state="forgotten", next=NEXT)


MEMORY_FORGET = Tool(
    name="memory_forget",
    description=DESCRIPTION,
    input=ForgetInput,
    output=ForgetOutput,
    run=forget,
    effects="write",
    examples=(
        Example("forget which seat i like on trains", ForgetInput(subject="seat on trains")),
        Example("vergiss bitte was ich über meinen job gesagt hab", ForgetInput(subject="Job")),
    ),
)
