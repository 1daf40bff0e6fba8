"""How a call runs: small wrappers around the tool's own function, each with one job."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import ValidationError

from lanekeeper.errors import LaneLostError
from lanekeeper.limits import Limits
from lanekeeper.mainline.schema import in_words
from lanekeeper.mainline.text import canonical, dumps
from lanekeeper.redact import place
from lanekeeper.tools.context import ToolContext
from lanekeeper.tools.failure import ToolFailure, TransientError
from lanekeeper.tools.outcome import Outcome, succeeded
from lanekeeper.tools.result import Result
from lanekeeper.tools.state import Keeping
from lanekeeper.tools.tool import AnyTool, Command
from lanekeeper.types import Json

Run = Callable[[ToolContext, Any], Awaitable[Any]]
Wrapper = Callable[[AnyTool, Limits, Run], Run]

logger = logging.getLogger(__name__)


def wrapped(tool: AnyTool, limits: Limits) -> Callable[[ToolContext, Json | None], Awaitable[Outcome]]:
    """The tool's function in all its wrappers: takes the arguments as the model wrote them, gives what came of it.

    The returned function raises ToolFailure, LaneLostError, and nothing else.
    """
    run: Run = tool.run
    for wrapper in WRAPPERS:
        run = wrapper(tool, limits, run)
    return run


def with_plain_words(tool: AnyTool, limits: Limits, run: Run) -> Run:
    """Turns whatever goes wrong into words; what exactly it was stays in the log (O4)."""

    async def plainly(context: ToolContext, arguments: Any) -> Any:
        try:
            return await run(context, arguments)
        except (ToolFailure, LaneLostError):
            raise
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise
            # Not this turn was cancelled, but something that the tool waited for (B010).
            raise broken(tool, error) from error
        except TransientError as error:
            logger.warning("the tool %s failed twice: %s", tool.name, place(error))
            raise ToolFailure(
                "The service behind this tool does not answer at the moment.",
                "Tell the person that it did not work just now, and go on without it or offer to try later.",
            ) from error
        except Exception as error:
            raise broken(tool, error) from error

    return plainly


def broken(tool: AnyTool, error: BaseException) -> ToolFailure:
    """The words for a fault in a tool. What exactly it was stays in the log."""
    logger.error("the tool %s broke: %s", tool.name, place(error))
    return ToolFailure(
        f"This tool could not do its job because of a fault on our side.{in_doubt(tool)}",
        "Do not call it again for this. Tell the person that it did not work, and go on without it.",
    )


def with_checked_arguments(tool: AnyTool, limits: Limits, run: Run) -> Run:
    """Lets only arguments through that are exactly as the tool's input model has them (O3)."""

    async def readable(context: ToolContext, arguments: Json | None) -> Any:
        if arguments is None:
            raise ToolFailure(
                "The arguments could not be read: they are no complete JSON object.",
                "Call the tool again with complete arguments.",
                retryable=True,
            )
        try:
            # Strict, by JSON's rules: a date is a string of the right form, a number is never one.
            given = tool.input.model_validate_json(dumps(arguments))
        except ValidationError as error:
            raise ToolFailure(
                f"The arguments are not right. {in_words(error)}",
                "Call the tool again with the arguments corrected. Ask the person for what you do not know.",
                retryable=True,
            ) from None
        return await run(context, given)

    return readable


def with_deadline(tool: AnyTool, limits: Limits, run: Run) -> Run:
    """Ends a call that takes too long."""

    async def in_time(context: ToolContext, given: Any) -> Any:
        try:
            async with asyncio.timeout(tool.timeout_s or limits.tool_timeout_s):
                return await run(context, given)
        except TimeoutError:
            logger.warning("the tool %s took too long", tool.name)
            raise ToolFailure(
                f"This took too long and was given up.{in_doubt(tool)}",
                "Tell the person that it did not work just now, and go on without it or offer to try later.",
            ) from None

    return in_time


def with_one_retry(tool: AnyTool, limits: Limits, run: Run) -> Run:
    """Tries once more, after a pause, when the tool says that the fault has likely passed (O5)."""

    async def twice(context: ToolContext, given: Any) -> Any:
        try:
            return await run(context, given)
        except TransientError:
            context.progress("Trying once more")
            await asyncio.sleep(limits.tool_backoff_s)
            return await run(context, given)

    return twice


def with_checked_result(tool: AnyTool, limits: Limits, run: Run) -> Run:
    """Lets only a result through that is exactly as the tool's output model has it (O3)."""

    async def validated(context: ToolContext, given: Any) -> Result:
        answer = await run(context, given)
        command = answer if isinstance(answer, Command) else Command(answer)
        output = tool.output.model_validate(command.result.model_dump())
        return Result(
            output=output,
            update=canonical(dict(command.update)),
            sources=tuple(tool.sources(output)),
            facts=tuple(tool.facts(output)),
        )

    return validated


def with_outcome(tool: AnyTool, limits: Limits, run: Run) -> Run:
    """Cuts the result to what a model should read and a page can show (O6), and keeps what it wants kept (N4)."""

    async def cut(context: ToolContext, given: Any) -> Outcome:
        outcome = succeeded(context.call_id, tool, await run(context, given), limits)
        keeping = context.keeping or Keeping(context.state, (), limits)
        keeping.keep(context.call_id, outcome.update)
        return outcome

    return cut


def in_doubt(tool: AnyTool) -> str:
    """What has to be said beside a failure in the middle of a write."""
    return " It may have been done or not: say so, and look before anything is repeated." if tool.writes else ""


# From the innermost to the outermost.
WRAPPERS: tuple[Wrapper, ...] = (
    with_checked_result,
    with_outcome,
    with_one_retry,
    with_deadline,
    with_checked_arguments,
    with_plain_words,
)
