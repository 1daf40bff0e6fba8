"""What a model says it thinks: shown where its catalogue entry says so, and never words of the reply (N8)."""

import re

from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import Model
from lanekeeper.replies import ReplyStream
from lanekeeper.replies.contract import Contract
from lanekeeper.turn.terms import SEEN_CHARS, Terms

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# Stands where something of a thought may not be shown.
LEFT_OUT = "[…]"


class Thoughts:
    """The thoughts of one model call.

    They are held to the contract of a reply. From a fault to the end of its line they are left out, and go on with
    the next line: nobody is asked for a thought once more.

    Args:
        stream: where they are shown, apart from those of a call before.
        model: whether they are shown, and whether it must be sent them again.
        terms: draws up what they are held to.
        limits: how much of them is shown.
    """

    def __init__(self, stream: ReplyStream, model: Model, terms: Terms, limits: Limits) -> None:
        self._stream = stream
        self._model = model
        self._terms = terms
        self._chars_left = limits.reasoning_chars if model.reasoning == "shown" else 0
        self._pieces: list[str] = []
        self._contract: Contract | None = None
        self._thought = ""
        stream.end_reasoning()

    def take(self, piece: str) -> None:
        """Take in the next piece."""
        if piece and self._model.reminded:
            self._pieces.append(piece)
        if self._chars_left:
            for line in _LINE.findall(piece):
                self._take_line(line)

    def end(self) -> None:
        """Words or the answer's end come now: what waits of the thought is shown, where it may be."""
        contract, self._contract = self._contract, None
        if contract is not None and not contract.fault:
            self._show(contract.end(), contract.fault)

    @property
    def kept(self) -> str:
        """What of them goes back to the model with the history: all, where it must be sent them again."""
        return "".join(self._pieces)

    def _take_line(self, line: str) -> None:
        """Take in a line, or a piece of one."""
        if self._contract is None:
            self._contract = self._terms.thought(self._thought)
        if not self._contract.fault:
            self._show(self._contract.take(line), self._contract.fault)
        self._thought = (self._thought + line)[-SEEN_CHARS:]
        if self._contract.fault and line.endswith("\n"):
            self._contract = self._terms.thought(self._thought)
            self._show(self._contract.take("\n"))

    def _show(self, text: str, fault: str = "") -> None:
        if shown := (text + (LEFT_OUT if fault else ""))[: self._chars_left]:
            self._stream.reasoning(shown)
            self._chars_left -= len(shown)
