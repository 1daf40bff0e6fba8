"""``memory_remember``: keeps one fact that the person wants remembered."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from lanekeeper.tools import Example, NoteKind, Tool, ToolContext, ToolFailure, ToolInput, ToolOutput

DESCRIPTION = """\
Keeps one fact about the person, so that it is there in later conversations. Use it when they ask you to remember, \
note or keep something, and when they correct something that was kept: call it again under the same subject, and the \
new fact takes the place of the old one. One fact a call; make two calls for two facts. Only what the person wrote \
themselves can be kept. Do not use it for what they merely mention, which is taken care of without you, nor for what \
comes from a tool, a file or your own guess. Passwords, card numbers, codes and details of other people are refused. \
It does not return what is kept, sets no reminder and tells nobody; to take something away use memory_forget."""

NEXT = "It is kept. Say so in a few words, without repeating all of it."


class RememberInput(ToolInput):
    """Arguments of ``memory_remember``."""

    kind: NoteKind = Field(
        description="What it is: a fact, a preference, a dislike, or a plan with a time to come.",
    )
    subject: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="What it is about, in one to four words, the same words every time: seat on trains."
    )
    body: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="The fact in one short sentence, in the person's language and as far as possible in their words."
    )


class RememberOutput(ToolOutput):
    """That it is kept, and what to say about it. ``replaced``: what stood under its subject until it was written."""

    state: Literal["kept"]
    next: str
    replaced: str | None = None


async def remember(context: ToolContext, given: RememberInput) -> RememberOutput:
    """Keep it, together with this call's result."""
    if context.memory is None:
        raise ToolFailure("Nothing can be kept from here.", "Say so, and go on without it.")
    await context.memory.remember(context.call_id, given.kind, given.subject, given.body)
    return RememberOutput(state="kept", next=NEXT)


MEMORY_REMEMBER = Tool(
    name="memory_remember",
    description=DESCRIPTION,
    input=RememberInput,
    output=RememberOutput,
    run=remember,
    effects="write",
    examples=(
        Example(
            "remember i always want a window seat on trains pls",
            RememberInput(kind="preference", subject="seat on trains", body="I always want a window seat on trains"),
        ),
        Example(
            "nein, im zug will ich jetzt doch lieber am gang sitzen",
            RememberInput(kind="preference", subject="Platz im Zug", body="Ich will im Zug lieber am Gang sitzen"),
        ),
    ),
)
