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


@dataclass(frozen=True, slots=True)
class Point:
    """A step of one function. ``target`` is ``module:Class.method`` or ``module:function``.

    ``calls``: how often it must have come by in this process's invocation before it counts.
    """

    function: str
    at: str
    target: str
    when: Literal["before", "after"]
    calls: int = 1


POINTS: tuple[Point, ...] = ()


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
    count = 0

    def reached(when: str) -> None:
        nonlocal count
        if when == point.when:
            count += 1
            if count >= point.calls:
                reach(point.function, point.at)

    if inspect.isasyncgenfunction(step):

        @functools.wraps(step)
        async def generated(*args: Any, **named: Any) -> AsyncIterator[Any]:
            reached("before")
            async for item in step(*args, **named):
                yield item
                reached("after")

        return generated
    if inspect.iscoroutinefunction(step):

        @functools.wraps(step)
        async def awaited(*args: Any, **named: Any) -> Any:
            reached("before")
            result = await step(*args, **named)
            reached("after")
            return result

        return awaited

    @functools.wraps(step)
    def called(*args: Any, **named: Any) -> Any:
        reached("before")
        result = step(*args, **named)
        reached("after")
        return result

    return called


def reach(function: str, at: str) -> None:
    """Ask whether this process is to be lost here. Whoever is killed or frozen never hears the answer."""
    if not (Path(os.environ["DEVKIT_ORDERS"]) / f"{function}.{at}").exists():
        return
    # The question blocks the whole process, on purpose: nothing else of it may go on.
    connection = HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    connection.request("POST", f"/devkit/reached/{at}")
    connection.getresponse().read()
    connection.close()
