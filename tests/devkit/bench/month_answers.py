"""What of the facts told is in the requests that must answer the questions: read from the exact bodies."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from tests.devkit.bench.figures import Figures
from tests.devkit.bench.month_script import Fact, Message, Month


@dataclass(slots=True)
class Answers:
    """Takes every request of a month in its order, and tells what became of the facts.

    A fact is kept when the last request of the turn that asks for it holds what counts by then, outdated when it only
    holds what counted before, else lost. A forgotten one is to be in no request after the turn that forgot it.
    """

    month: Month
    sent_again: dict[str, int] = field(default_factory=dict)
    _messages: list[Message] = field(init=False)
    _moments: list[datetime] = field(init=False)
    _last: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._messages = [message for sitting in self.month.sittings for message in sitting]
        self._moments = [message.at for message in self._messages]

    def turn_at(self, moment: datetime) -> int:
        """The number of the turn that was the latest at this moment."""
        return bisect_right(self._moments, moment) - 1

    def saw(self, moment: datetime, feature: str, body: str) -> None:
        """Take one request."""
        turn = self.turn_at(moment)
        asked = self._messages[turn]
        if feature == "chat" and asked.kind == "ask" and asked.fact:
            self._last[turn] = body
        for gone in self._messages[:turn]:
            if gone.kind == "forget" and gone.fact and holds(body, gone.fact.value):
                self.sent_again[gone.fact.ask] = self.sent_again.get(gone.fact.ask, 0) + 1

    def figures(self) -> Figures:
        """How many facts are what, and which are not kept."""
        forgotten = {message.fact.ask for message in self._messages if message.kind == "forget" and message.fact}
        kept, outdated, lost = list[Fact](), list[Fact](), list[Fact]()
        for turn, body in sorted(self._last.items()):
            fact = self._messages[turn].fact
            assert fact is not None
            if fact.ask not in forgotten:
                old = fact.value if fact.now else ""
                found = kept if holds(body, fact.present) else outdated if holds(body, old) else lost
                found.append(fact)
        return {
            "kept": len(kept),
            "outdated": len(outdated),
            "lost": len(lost),
            "forgotten": len(forgotten),
            "sent_again": len(self.sent_again),
            "not_kept": [fact.ask for fact in [*outdated, *lost]],
            "again": dict(self.sent_again),
        }


def holds(body: str, value: str) -> bool:
    """Whether a request holds these words, whole."""
    return bool(value) and value in body and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", body) is not None


def in_order(requests: Iterable[Figures]) -> list[tuple[datetime, Figures]]:
    """Requests as the fake Mainline tells of them, with their moments."""
    return sorted(((datetime.fromisoformat(one["at"]), one) for one in requests), key=lambda pair: pair[0])
