"""What tools may do with what is remembered of the person (W4)."""

from typing import Literal, Protocol

NoteKind = Literal["fact", "preference", "dislike", "plan"]


class Memory(Protocol):
    """The person's notes. Both are done together with the call's result, or not at all.

    Whatever speaks against it only then takes the place of the result, as a failure in plain words.
    """

    async def remember(self, call_id: str, kind: NoteKind, subject: str, body: str) -> None:
        """Keep one fact that the person stated; it replaces what was kept about the subject.

        Raises:
            ToolFailure: it must not be kept.
        """

    async def forget(self, call_id: str, subject: str) -> None:
        """Forget what is kept about a subject.

        Raises:
            ToolFailure: nothing is, or it is not clear which of several is meant.
        """
