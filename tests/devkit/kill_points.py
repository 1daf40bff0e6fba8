"""Where a process can be lost: named steps of the product, wrapped from outside inside its own process.

Each point names a callable of the product by its dotted name. When it is reached the dev kit is asked whether an
order waits (``/dev/kill``); then the process does not return from the question, or returns cut off from its database.
"""

import functools
import importlib
import inspect
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal

ANY_FUNCTION = ("start",)


Counts = Callable[[tuple[Any, ...], Any], bool]


def always(_arguments: tuple[Any, ...], _result: Any) -> bool:
    """Every call counts."""
    return True


@dataclass(frozen=True, slots=True)
class Point:
    """A step of one function. ``target`` is ``module:Class.method`` or ``module:function``.

    ``counts`` tells from the arguments and the result, None before the call, whether this call is meant.
    """

    function: str
    at: str
    target: str
    when: Literal["before", "after"]
    counts: Counts = always


def _took_something_up(_arguments: tuple[Any, ...], claim: Any) -> bool:
    return claim is not None and (claim.turn is not None or claim.upload is not None)


def _wrote_text(arguments: tuple[Any, ...], _result: Any) -> bool:
    return any(chunk["type"] == "text-delta" for chunk in arguments[1])


def _ends_a_turn(arguments: tuple[Any, ...], _result: Any) -> bool:
    from lanekeeper.turn.intake import SQL

    return bool(arguments[1] == SQL["end_turn"])


def _claimed_a_timer(_arguments: tuple[Any, ...], timer: Any) -> bool:
    return timer is not None


def _relayed_text(_arguments: tuple[Any, ...], block: Any) -> bool:
    return b"text-delta" in block


POINTS = (
    Point("accept", "after_commit", "lanekeeper.inbox.store:Inbox.accept", "after"),
    Point("stream", "mid_stream", "lanekeeper.stream.relay:Following.blocks", "after", _relayed_text),
    Point("worker", "claimed", "lanekeeper.turn.intake:Intake.claim", "after", _took_something_up),
    Point("worker", "before_model", "lanekeeper.turn.steps:TurnSteps.ask", "before"),
    Point("worker", "mid_stream", "lanekeeper.replies.chunk_writer:ChunkWriter._append", "after", _wrote_text),
    Point("worker", "after_model", "lanekeeper.turn.steps:TurnSteps.ask", "after"),
    Point("worker", "before_tool", "lanekeeper.turn.steps:TurnSteps.run_tools", "before"),
    Point("worker", "after_tool", "lanekeeper.turn.steps:TurnSteps.run_tools", "after"),
    # The last statement of the transaction has run, its commit has not.
    Point("worker", "before_commit", "lanekeeper.postgres.connection:Transaction.row", "after", _ends_a_turn),
    Point("worker", "after_commit", "lanekeeper.turn.ending:Ending.commit", "after"),
    Point("maintenance", "claimed", "lanekeeper.timers.store:Claims.next", "after", _claimed_a_timer),
    Point("maintenance", "before_model", "lanekeeper.mainline.batches:Batches.begin", "before"),
    Point("maintenance", "after_model", "lanekeeper.mainline.batches:Batches.begin", "after"),
    # It has been acted on, and is still to be taken away.
    Point("maintenance", "before_commit", "lanekeeper.timers.store:Claims.done", "before"),
    Point("maintenance", "after_commit", "lanekeeper.timers.store:Claims.done", "after"),
)


def names(function: str) -> set[str]:
    """The points at which a function can be lost."""
    return {*ANY_FUNCTION, *(point.at for point in POINTS if point.function == function)}


def put_on(function: str) -> None:
    """Wrap this function's steps. A step that is not there is an error: the table must follow the engine."""
    for point in POINTS:
        if point.function == function:
            module_name, _, path = point.target.partition(":")
            owner: Any = importlib.import_module(module_name)
            *parents, name = path.split(".")
            for parent in parents:
                owner = getattr(owner, parent)
            setattr(owner, name, _wrapped(getattr(owner, name), point))


def _wrapped(step: Callable[..., Any], point: Point) -> Callable[..., Any]:
    def passed(when: str, arguments: tuple[Any, ...], result: Any = None) -> None:
        if when == point.when and _order_waits(point) and point.counts(arguments, result):
            reach(point.at)

    if inspect.isasyncgenfunction(step):

        @functools.wraps(step)
        async def generated(*args: Any, **named: Any) -> AsyncIterator[Any]:
            passed("before", args)
            async for item in step(*args, **named):
                yield item
                passed("after", args, item)

        return generated
    if inspect.iscoroutinefunction(step):

        @functools.wraps(step)
        async def awaited(*args: Any, **named: Any) -> Any:
            passed("before", args)
            result = await step(*args, **named)
            passed("after", args, result)
            return result

        return awaited

    @functools.wraps(step)
    def called(*args: Any, **named: Any) -> Any:
        passed("before", args)
        result = step(*args, **named)
        passed("after", args, result)
        return result

    return called


def _order_waits(point: Point) -> bool:
    return (Path(os.environ["DEVKIT_ORDERS"]) / f"{point.function}.{point.at}").exists()


def reach(at: str) -> None:
    """Ask whether this process is to be lost here. Whoever is killed or frozen never hears the answer."""
    # The question blocks the whole process, on purpose: nothing else of it may go on.
    connection = HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    connection.request("POST", f"/devkit/reached/{at}")
    connection.getresponse().read()
    connection.close()
