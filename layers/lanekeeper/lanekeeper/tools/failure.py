"""How a tool says no: in plain words, with the decision whether to try again already made (O4, O7)."""

from lanekeeper.types import Json


class ToolFailure(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """A refusal or a failure, told to the model in these words.

    Args:
        message: what is wrong, without internals.
        next_step: what to do now.
        retryable: whether the same tool can work when it is called again as the next step says.
        retry_after_s: whole seconds to wait first, where that is known.
    """

    def __init__(
        self, message: str, next_step: str, *, retryable: bool = False, retry_after_s: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.retryable = retryable
        self.retry_after_s = retry_after_s

    def body(self) -> Json:
        """The shape that the model and the page see."""
        wait = {} if self.retry_after_s is None else {"retry_after_s": self.retry_after_s}
        return {"message": self.message, "retryable": self.retryable, **wait, "next_step": self.next_step}


class TransientError(Exception):
    """A fault that has likely passed in a moment and after which nothing was changed: the call is tried once more."""
