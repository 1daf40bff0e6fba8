"""A stream whose way to the database has vanished: nothing is refused, nothing ever comes back."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from psycopg.conninfo import conninfo_to_dict

from lanekeeper.postgres import Database
from tests.devkit.database_proxy import DatabaseProxy
from tests.integration.stream.author import STEP, Author, text
from tests.integration.stream.conftest import OpenTab, make_app


@pytest.fixture
async def proxy(url_as: Callable[[str], str]) -> AsyncIterator[DatabaseProxy]:
    """The way to the database, which can vanish."""
    made = DatabaseProxy(int(str(conninfo_to_dict(url_as("stream"))["port"])))
    await made.open()
    yield made
    made.refuse()


@pytest.fixture
async def database(proxy: DatabaseProxy, url_as: Callable[[str], str]) -> AsyncIterator[Database]:
    """The stream's connection, through that way."""
    made = Database(lambda: {"conninfo": url_as("stream"), "port": proxy.port, "connect_timeout": 2}, "test-stream")
    yield made
    made.abandon()


async def test_a_stream_that_no_longer_sees_the_database_is_cut_and_not_ended(
    author: Author, open_tab: OpenTab, database: Database, proxy: DatabaseProxy
) -> None:
    turn = await author.turn()
    await turn.begin()
    app = make_app(database, stream_answer_s=0.3, stream_away_s=0.6, stream_glance_s=0.2)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: b"id: 1\n" in tab.raw)
        proxy.vanish()
        await tab.to_end(10)
    assert not tab.done


async def test_a_stream_goes_on_when_the_database_answers_again_in_time(
    author: Author, open_tab: OpenTab, database: Database, proxy: DatabaseProxy
) -> None:
    turn = await author.turn()
    await turn.begin()
    app = make_app(database, stream_answer_s=0.3, stream_away_s=30, stream_glance_s=0.2)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: b"id: 1\n" in tab.raw)
        proxy.silent = True
        await asyncio.sleep(0.6)
        proxy.silent = False
        proxy.break_connections()
        for chunk in (STEP, *text("text-1", "back again")):
            await turn.say(chunk)
        await turn.end()
        await tab.to_end()
    assert b"back again" in tab.raw
