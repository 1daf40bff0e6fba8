"""Waiting for a database that may never answer: a lost peer is noticed here long before TCP notices it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lanekeeper.errors import DatabaseUnreachableError
from lanekeeper.postgres.connection import Database


@asynccontextmanager
async def answered_within(database: Database, seconds: float) -> AsyncIterator[None]:
    """Give up a connection on which the block does not end in time.

    The connection is dropped before the wait on it is broken off: asked to cancel, it would wait for an answer again.

    Raises:
        DatabaseUnreachableError: there was no answer in time.
    """
    task = asyncio.current_task()
    assert task is not None
    expired = False

    def expire() -> None:
        nonlocal expired
        expired = True
        database.abandon()
        task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, expire)
    try:
        yield
    except asyncio.CancelledError:
        if expired and task.uncancel() == 0:
            raise DatabaseUnreachableError("no answer in time") from None
        raise
    finally:
        timer.cancel()
