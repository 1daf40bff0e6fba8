"""An answer that goes on where a dead writer left off, without saying anything twice."""

# Fewer characters than this, or a single word, may be the same by chance.
SHORTEST_OVERLAP = 6
LONGEST_OVERLAP = 60


class Continuation:
    """Turns what a model writes now into what is still to be shown.

    The model is told what has been shown and asked to go on from there. Many do. One that starts over with the same
    words is followed silently and heard from where it passes their end; one that takes up the last few words again
    loses those; one that begins a new sentence in the middle of the old one is set apart by a blank line.

    Args:
        said: the text that was shown, or empty for a new answer.
    """

    def __init__(self, said: str) -> None:
        self._said = said
        self._held = ""
        self._listening = bool(said)
        self.whole = said

    def take(self, piece: str) -> str:
        """What of this piece is to be shown."""
        if not self._listening:
            self.whole += piece
            return piece
        self._held += piece
        if self._said.startswith(self._held) and len(self._held) < len(self._said):
            return ""
        if not self._said.startswith(self._held) and len(self._held) < min(len(self._said), LONGEST_OVERLAP):
            return "" if self._may_overlap() else self._speak()
        return self._speak()

    def end(self) -> str:
        """What is to be shown once no more comes.

        An answer that only repeated a part of what was shown adds nothing.
        """
        if not self._listening:
            return ""
        if self._said.startswith(self._held):
            self._listening = False
            return ""
        return self._speak()

    def _may_overlap(self) -> bool:
        """Whether what is held could be the beginning of the last words that were shown."""
        return self._held in self._said[-LONGEST_OVERLAP:]

    def _speak(self) -> str:
        self._listening = False
        new = self._held.removeprefix(self._said)
        if new == self._held:
            new = self._without_overlap()
        self.whole += new
        return new

    def _without_overlap(self) -> str:
        held = self._held
        for length in range(min(len(held), len(self._said), LONGEST_OVERLAP), SHORTEST_OVERLAP - 1, -1):
            if self._said.endswith(held[:length]) and " " in held[:length].strip():
                return held[length:]
        if held[:1].isupper() and not self._said[-1].isspace():
            return "\n\n" + held
        return held
