"""What a tool is given besides its arguments: for whom it runs, what the conversation holds, and its ways out."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from lanekeeper.ledger.call import Call, Meter
from lanekeeper.ledger.rules import Usage
from lanekeeper.tools.memory import Memory
from lanekeeper.tools.state import Keeping


class Watcher(Protocol):
    """Shows how a call is getting on."""

    def progress(self, call_id: str, text: str, details: Mapping[str, Any]) -> None:
        """Show it, or leave it out when it comes too often. Never waits, never raises."""


class StaffDesk(Protocol):
    """Where people of the team look for what they are to do."""

    def open(self, reason: str) -> None:
        """Put down that a person is wanted in this conversation. It is written with the call's result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """For whom and when a tool runs. Who that is comes from the signed-in session alone, never from arguments (E1).

    Attributes:
        user_id: the person it acts for.
        conversation_id: the conversation.
        turn_id: the turn.
        timezone: the person's IANA zone.
        now: the turn's moment, aware.
        call_id: the call at work; the same when a turn is taken up again, so it serves as an idempotency key.
        state: what earlier tools of this conversation kept (see ``Command``). The calls of one answer all see the
            same state: what one of them keeps is there for the next answer's calls.
        keeping: counts together what the calls of one answer keep; None for a call by itself.
        meter: told of what is paid for, through ``paid``.
        watcher: shown how the call is getting on, through ``progress``.
        staff: the team's desk, where there is one.
        memory: the person's notes, where they may be changed.
    """

    user_id: str
    conversation_id: str
    turn_id: str
    timezone: str
    now: datetime
    call_id: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    keeping: Keeping | None = None
    meter: Meter | None = None
    watcher: Watcher | None = None
    staff: StaffDesk | None = None
    memory: Memory | None = None

    def progress(self, text: str, **details: Any) -> None:
        """Tell the person how the work is getting on, in a few words.

        Shown at the tool's line while the call runs, and never stored (N7). Call it as often as there is news: only
        the latest is shown, a few times a second.

        Args:
            text: such as ``Reading page 3``.
            details: JSON values for a page that knows this tool, such as ``done=3, total=10``.
        """
        if self.watcher is not None:
            self.watcher.progress(self.call_id, text, details)

    @asynccontextmanager
    async def paid(self, feature: str, vendor: str, micros: int) -> AsyncIterator[None]:
        """Put a paid request to a vendor on the books: before it is made, and again when it is over (K2).

        Args:
            feature: what it is for, such as ``web_search``.
            vendor: who is paid, as the costs name it beside the models.
            micros: the price of one request in millionths of the currency, also when it fails.
        """
        if self.meter is None:
            yield
            return
        call = Call(user_id=self.user_id, turn_id=self.turn_id, feature=feature, model=vendor, body={}, micros=micros)
        await self.meter.opened(call)
        failed = True
        try:
            yield
            failed = False
        finally:
            await self.meter.settled(call, Usage(micros=micros, reported=True), failed=failed)
