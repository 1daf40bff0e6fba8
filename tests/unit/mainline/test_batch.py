"""Many calls at once: capped, in order, and one that fails fails alone (N9)."""

import asyncio

import pytest

from lanekeeper.errors import LaneLostError
from lanekeeper.limits import Limits
from lanekeeper.mainline.batch import batch
from lanekeeper.mainline.errors import MainlineError
from tests.unit.mainline.gateway import DONE, FINISHED, Book, client, gateway, read, refuse, said, stream

ONE, THREE = Limits(batch_concurrency=1), Limits(batch_concurrency=3)


async def test_no_more_than_the_cap_are_asked_side_by_side_and_answers_keep_their_order():
    running = highest = 0

    async def ask(number: int) -> int:
        nonlocal running, highest
        running += 1
        highest = max(highest, running)
        for _ in range(10 - number):
            await asyncio.sleep(0)
        running -= 1
        return number * number

    assert await batch(ask, range(10), THREE) == [n * n for n in range(10)]
    assert highest == 3


async def test_a_call_that_fails_fails_alone_and_is_paid_for_like_the_others():
    book = Book()
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [stream(said("one"), FINISHED, DONE), refuse(500, {}), stream(said("three"), FINISHED, DONE)]

        async def ask(number: int) -> str:
            return (await read(mainline, book, {"messages": [{"role": "user", "content": str(number)}]}))[0]

        first, second, third = await batch(ask, range(3), ONE)
    assert (first, third) == ("one", "three")
    assert isinstance(second, MainlineError)
    assert [failed for _, _, failed in book.settled_calls] == [False, True, False]


async def test_what_is_no_failed_call_ends_the_batch_and_leaves_nothing_running():
    begun, ended = [], []

    async def ask(number: int) -> None:
        begun.append(number)
        try:
            if number == 2:
                raise LaneLostError
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    with pytest.raises(LaneLostError):
        await batch(ask, range(50), THREE)
    assert sorted(ended) == sorted(begun)
    assert len(begun) < 6


async def test_a_batch_that_is_cancelled_closes_every_call():
    begun, ended = asyncio.Event(), []

    async def ask(number: int) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    task = asyncio.create_task(batch(ask, range(9), Limits()))
    await begun.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [0, 1, 2, 3]
