"""What a model says it thinks: shown where its catalogue entry says so, and never words of the reply (N8)."""

from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import Model
from lanekeeper.replies import ReplyStream


class Thoughts:
    """The thoughts of one model call.

    Args:
        stream: where they are shown, apart from those of a call before.
        model: whether they are shown, and whether it must be sent them again.
        limits: how much of them is shown.
    """

    def __init__(self, stream: ReplyStream, model: Model, limits: Limits) -> None:
        self._stream = stream
        self._model = model
        self._chars_left = limits.reasoning_chars if model.reasoning == "shown" else 0
        self._pieces: list[str] = []
        stream.end_reasoning()

    def take(self, piece: str) -> None:
        """Take in the next piece."""
        if piece and self._model.reminded:
            self._pieces.append(piece)
        if shown := piece[: self._chars_left]:
            self._stream.reasoning(shown)
            self._chars_left -= len(shown)

    @property
    def kept(self) -> str:
        """What of them goes back to the model with the history: all, where it must be sent them again."""
        return "".join(self._pieces)
