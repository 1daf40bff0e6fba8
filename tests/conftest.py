"""A real Postgres for every test that asks for one: a server per test process, a fresh database per test."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import settings
from psycopg.rows import dict_row

from lanekeeper.postgres import Database
from tests.devkit.migrations import migrate
from tests.devkit.postgres import Postgres
from tests.devkit.system import System, SystemProcess

Row = dict[str, Any]
ConnectAs = Callable[..., Awaitable[psycopg.AsyncConnection[Row]]]

TEMPLATE = "lanekeeper_template"

# No test asserts how long something takes, and no busy machine fails one.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A throw-away server with a migrated template database, made by a migrator who is no superuser."""
    with Postgres() as server:
        server.create_database(TEMPLATE)
        server.prepare_database(TEMPLATE, migrate)
        yield server


@pytest.fixture
def database_url(postgres_server: Postgres) -> Iterator[str]:
    """A fresh database with all migrations; the URL is a superuser's and bypasses row-level security."""
    name = f"test_{next(_numbers)}"
    postgres_server.create_database(name, template=TEMPLATE)
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture
def empty_database_url(postgres_server: Postgres) -> Iterator[str]:
    """A database with nothing in it, not even migrations, owned by the migrator; the URL is a superuser's."""
    name = f"empty_{next(_numbers)}"
    postgres_server.create_database(name)
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture
def url_as(postgres_server: Postgres, database_url: str) -> Callable[[str], str]:
    """``url_as("accept")`` is this test's database as the role ``lanekeeper_accept``."""
    name = database_url.rpartition("/")[2]
    return lambda role: postgres_server.url(name, role)


@pytest.fixture
async def connect_as(url_as: Callable[[str], str]) -> AsyncIterator[ConnectAs]:
    """``await connect_as("accept")`` is a connection as that role, in autocommit, with rows as dicts.

    With ``user_id=`` the whole session speaks in that person's name.
    """
    opened: list[psycopg.AsyncConnection[Row]] = []

    async def connect(role: str = "postgres", *, user_id: str | None = None) -> psycopg.AsyncConnection[Row]:
        connection = await psycopg.AsyncConnection.connect(url_as(role), autocommit=True, row_factory=dict_row)
        opened.append(connection)
        if user_id is not None:
            await connection.execute("select set_config('lanekeeper.user_id', %s, false)", [user_id])
        return connection

    yield connect
    for connection in opened:
        await connection.close()


@pytest.fixture
async def database_as(url_as: Callable[[str], str]) -> AsyncIterator[Callable[[str], Database]]:
    """``database_as("worker")`` is the product's own Database on this test's database, as that role."""
    opened: list[Database] = []

    def open_database(role: str) -> Database:
        database = Database(lambda: {"conninfo": url_as(role)}, f"test-{role}")
        opened.append(database)
        return database

    yield open_database
    for database in opened:
        await database.close()


@pytest.fixture(scope="session")
def system_process() -> Iterator[SystemProcess]:
    """The whole system, started once a test process for all tests that ask for ``system``."""
    process = SystemProcess(zero_delay=True, workers=4)
    yield process
    process.stop()


@pytest.fixture
async def system(system_process: SystemProcess) -> AsyncIterator[System]:
    """The running system. It is shared: name people with ``someone()``, and leave the clock near where it was."""
    async with System(**system_process.ready) as running:
        yield running
        await running.recall()
