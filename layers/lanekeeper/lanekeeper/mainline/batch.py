"""Many calls at once, up to a cap, where one that fails does not fail the others (N9)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from lanekeeper.limits import Limits
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.shape import MisfitError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


async def batch(
    ask: Callable[[Item], Awaitable[Answer]], items: Iterable[Item], limits: Limits
) -> list[Answer | MainlineError | MisfitError]:
    """Ask for every item, for jobs in the background.

    Args:
        ask: makes the call, or the calls, of one item.
        items: the items.
        limits: how many are asked for side by side.

    Returns:
        For each item, in order, its answer or how its call failed.

    Raises:
        Exception: something other than a call failed, such as a lost lane. Nothing is asked any more then.
    """
    places = asyncio.Semaphore(max(1, limits.batch_concurrency))

    async def one(item: Item) -> Answer | MainlineError | MisfitError:
        async with places:
            try:
                return await ask(item)
            except (MainlineError, MisfitError) as error:
                return error

    asking = [asyncio.ensure_future(one(item)) for item in items]
    try:
        return list(await asyncio.gather(*asking))
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
