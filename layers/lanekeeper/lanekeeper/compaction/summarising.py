"""Has a model write the summary: over its own conversation, so that its provider has read most of it already (C2)."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Protocol

from lanekeeper.compaction.rules import pieces
from lanekeeper.compaction.telling import carried, is_lost, lost
from lanekeeper.graph import ThreadMessage
from lanekeeper.limits import Limits
from lanekeeper.mainline import tokens
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.reply import Ending
from lanekeeper.mainline.text import dumps
from lanekeeper.types import Json

FEATURE = "summary"
VERSION = "summary-2026-11-30"
INSTRUCTION = Path(__file__).with_name(f"{VERSION}.md").read_text(encoding="utf-8").strip()
KEEP = (
    "You have written it once, and it left out what the earlier summary told: {lost}. Write it again and keep "
    "these, unless they were taken back."
)

# A summary may be longer than it should be by this much. Beyond that it is not what was asked for.
TOLERANCE = 1.25
# What a model thinks before it writes counts as well: it has room for that, and its words are broken off here.
THINKING = 4


class SummaryError(Exception):
    """A model's answer that cannot stand in the place of a conversation. ``reason`` is a short word for operators."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the summary cannot be used: {reason}")
        self.reason = reason


class Request(Protocol):
    """The conversation's own request, as its turns send it."""

    @property
    def model(self) -> Model:
        """The model that reads it."""

    def body(
        self, messages: Sequence[ThreadMessage], summary: str | None, instruction: str, *, max_tokens: int
    ) -> Json:
        """The request with these messages of the conversation, the summary before them, and one last instruction."""


class Summariser:
    """Writes summaries.

    Args:
        mainline: the model client.
        limits: how much a model can read at once, and how long a summary is.
    """

    def __init__(self, mainline: Mainline, limits: Limits) -> None:
        self._mainline = mainline
        self._limits = limits
        self._most = round(limits.summary_tokens * TOLERANCE)

    async def summarise(
        self,
        request: Request,
        covered: Sequence[ThreadMessage],
        summary: str | None,
        caller: Caller,
        check: Callable[[], Awaitable[None]],
    ) -> str:
        """The summary of the covered messages and of what the one before them told.

        A history that is too large for one request is read in pieces, each with the summary of those before it.

        Args:
            request: how the conversation is sent.
            covered: the messages, oldest first.
            summary: the summary before them, if there is one.
            caller: on whose behalf.
            check: called before each further request; it raises where what was read is out of date by then, since no
                request may hold what was forgotten meanwhile (W4).

        Raises:
            MainlineError: no whole answer came.
            SummaryError: it cannot be used, or lost what the summary before it told.
        """
        for number, piece in enumerate(pieces(covered, self._room(request))):
            if number:
                await check()
            summary = await self._next(request, piece, summary, caller, check)
        assert summary is not None  # a plan covers something
        return summary

    def _room(self, request: Request) -> int:
        """Tokens that are left for messages in one request."""
        empty = dumps(request.body([], None, INSTRUCTION, max_tokens=self._most))
        return max(self._limits.summary_window_tokens - tokens.estimate(empty) - 2 * self._most, self._most)

    async def _next(
        self,
        request: Request,
        piece: Sequence[ThreadMessage],
        before: str | None,
        caller: Caller,
        check: Callable[[], Awaitable[None]],
    ) -> str:
        written = await self._ask(request, piece, before, INSTRUCTION, caller)
        gone = lost(before, written) if before else []
        if before is None or not gone:
            return written
        await check()
        with suppress(MainlineError, SummaryError):
            again = f"{INSTRUCTION}\n\n{KEEP.format(lost=', '.join(gone))}"
            written = await self._ask(request, piece, before, again, caller)
            if not lost(before, written):
                return written
        return self._joined(before, written)

    def _joined(self, before: str, written: str) -> str:
        """A summary that left something out, behind the one before it, or behind so much of that as there is room for.

        Raises:
            SummaryError: there is hardly room for any.
        """
        both = f"{before}\n\n{written}"
        if tokens.estimate(both) <= self._most:
            return both
        room = self._most - tokens.estimate(written) - 1
        joined = f"{carried(before, written, room)}\n\n{written}".strip()
        if is_lost(before, joined):
            raise SummaryError("lost")
        return joined

    async def _ask(
        self, request: Request, piece: Sequence[ThreadMessage], before: str | None, instruction: str, caller: Caller
    ) -> str:
        body = request.body(piece, before, instruction, max_tokens=self._most * THINKING)
        said = ""
        async with aclosing(self._mainline.chat(request.model, body, caller)) as parts:
            async for part in parts:
                if isinstance(part, Ending):
                    return _usable(said, part)
                said += part.text
                if tokens.estimate(said) > self._most:
                    raise SummaryError("long")
        raise AssertionError("unreachable")  # a stream without an ending raises


def _usable(said: str, ending: Ending) -> str:
    """The text of a whole answer.

    Raises:
        SummaryError: it is none.
    """
    if ending.calls:
        raise SummaryError("tool_calls")
    if ending.refused:
        raise SummaryError("refused")
    if ending.finish_reason not in {"stop", "other"}:
        raise SummaryError(ending.finish_reason)
    if not said.strip():
        raise SummaryError("empty")
    return said.strip()
