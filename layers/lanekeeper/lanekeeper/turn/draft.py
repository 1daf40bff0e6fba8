"""The text of one model call on its way out: brought into one form, joined to what was said, held to the contract."""

from lanekeeper.replies.contract import Breaks, Contract
from lanekeeper.turn.continuation import Continuation


class Draft:
    """Turns what a model writes into what is to be shown.

    ``said`` is all that was shown of the answer, ``fault`` what was found in it that may not be.

    Args:
        contract: what it is held to.
        said: the beginning of the answer, where another call has shown one.
    """

    def __init__(self, contract: Contract, said: str) -> None:
        self._breaks = Breaks(begun=bool(said))
        self._continuation = Continuation(said)
        self._contract = contract
        self._blank = ""
        self.said = said

    @property
    def fault(self) -> str:
        """What may not go out; empty while all is well."""
        return self._contract.fault

    @property
    def left_out(self) -> bool:
        """Whether there was a message beside tool calls that would have taken the place of their answer."""
        return bool(self._contract.kept.strip())

    def take(self, piece: str) -> str:
        """What is to be shown now."""
        return self._show(self._contract.take(self._continuation.take(self._breaks.take(piece))))

    def end(self, *, goes_on: bool = False) -> str:
        """What is to be shown once no more comes.

        Args:
            goes_on: whether the model called tools, so that another answer follows this one.
        """
        rest = self._continuation.take(self._breaks.end()) + self._continuation.end()
        return self._show(self._contract.take(rest) + self._contract.end(goes_on=goes_on))

    def _show(self, released: str) -> str:
        if not self.said:
            # An answer does not begin before its first word.
            released, self._blank = self._blank + released, ""
            if not released.strip():
                self._blank, released = released, ""
        self.said += released
        return released
