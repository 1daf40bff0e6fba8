"""What may go wrong, in the words a person reads."""

from lanekeeper.types import Json


class Problem(Exception):  # noqa: N818 - an answer to a person, not an accident
    """A refusal that reaches the person: plain words, a next step, and an HTTP status.

    Args:
        status: HTTP status, 400 to 599.
        code: a short name for programs, such as ``not_found``.
        message: what went wrong, without internals.
        next_step: what the person can do now.
        retryable: whether the same request can work later.
        retry_after_s: after how many seconds, where that is known.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        next_step: str,
        *,
        retryable: bool = False,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.next_step = next_step
        self.retryable = retryable
        self.retry_after_s = retry_after_s

    def body(self) -> Json:
        """The contract's error shape."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "retryable": self.retryable,
                "nextStep": self.next_step,
            }
        }


AWAY = Problem(
    503,
    "unavailable",
    "The chat cannot be reached right now.",
    "Try again in a moment.",
    retryable=True,
    retry_after_s=1,
)


class LaneLostError(Exception):
    """This worker no longer holds the person's lane: it must stop and may write nothing more."""


class LanesLockedError(Exception):
    """The rows of all lanes that wait are being written at this moment: whoever claims one looks again in a moment."""


class DatabaseUnreachableError(Exception):
    """No connection to Postgres could be made in time."""
