"""What may go wrong in a turn: which failures are worth another try, and how each of them ends its turn (T5)."""

import logging

import psycopg

from lanekeeper.errors import DatabaseUnreachableError, LaneLostError
from lanekeeper.graph import StepLimitError
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.redact import place
from lanekeeper.turn.asking import EmptyAnswerError
from lanekeeper.turn.deciding import CodeAnswers
from lanekeeper.turn.ending import Ending

logger = logging.getLogger(__name__)


def is_worth_retrying(error: Exception) -> bool:
    """Whether the model node may be tried once more."""
    if isinstance(error, MainlineError):
        return error.retryable
    return not isinstance(
        error, CodeAnswers | LaneLostError | DatabaseUnreachableError | StepLimitError | psycopg.Error
    )


async def end_by(ending: Ending, error: BaseException | None) -> None:
    """End a turn as its run has ended: well, in code's words, or with the honest line.

    Raises:
        LaneLostError, DatabaseUnreachableError, ForeignKeyViolation: nothing can or may be written any more.
    """
    match error:
        case None:
            await ending.finish()
        case CodeAnswers():
            await ending.say(error.text)
        case LaneLostError() | DatabaseUnreachableError() | psycopg.errors.ForeignKeyViolation():
            raise error
        case MainlineError():
            logger.warning("the model failed twice: %s", error)
            await ending.fail(f"model_{error.kind}")
        case EmptyAnswerError():
            await ending.fail("model_empty")
        case StepLimitError():
            await ending.fail("model_steps")
        case Exception():
            logger.error("a turn failed: %s", place(error))
            await ending.fail("internal")
        case _:
            raise error
