"""An answer that goes on where a dead writer left off, without saying anything twice."""


class Continuation:
    """Turns what a model writes now into what is still to be shown.

    The model is told what has been shown and asked to go on from there. One that starts over instead is followed
    silently as long as it repeats the shown words, and heard from where it passes their end.

    Args:
        said: the text that was shown, or empty for a new answer.
    """

    def __init__(self, said: str) -> None:
        self._said = said
        self._repeated = ""
        self._following = bool(said)
        self.whole = said

    def take(self, piece: str) -> str:
        """What of this piece is to be shown."""
        if not self._following:
            self.whole += piece
            return piece
        self._repeated += piece
        if self._said.startswith(self._repeated) and len(self._repeated) < len(self._said):
            return ""
        return self._leave()

    def end(self) -> str:
        """What is to be shown once no more comes.

        An answer that only repeated a part of what was shown adds nothing.
        """
        self._following = False
        return ""

    def _leave(self) -> str:
        self._following = False
        new = self._repeated.removeprefix(self._said)
        self.whole += new
        return new
