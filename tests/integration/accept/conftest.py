"""The accept function on a database of its own."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lanekeeper.postgres import Database
from tests.conftest import TEMPLATE
from tests.devkit.postgres import Postgres
from tests.integration.accept.api import Api, Lambda, local_lambda


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each operation of the document an id of its own: of tests with one id only the first is run in parallel."""
    for item in items:
        if getattr(item, "operation_label", None) and item.parent is not None:
            item._id = item.parent.id.child(item.name)


def give_credentials(patch: pytest.MonkeyPatch) -> None:
    """As Lambda gives them to every function."""
    patch.setenv("AWS_ACCESS_KEY_ID", "local")
    patch.setenv("AWS_SECRET_ACCESS_KEY", "local")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lambda]:
    give_credentials(monkeypatch)
    with local_lambda() as endpoint:
        yield endpoint


def remember(patch: pytest.MonkeyPatch, made: list[Database]) -> None:
    """Note every Database that the wiring makes, so that it can be closed."""
    connect = Database.__init__

    def noted(self: Database, *arguments: Any, **named: Any) -> None:
        connect(self, *arguments, **named)
        made.append(self)

    patch.setattr(Database, "__init__", noted)


def finish(api: Api, database: Database) -> None:
    loop = api.gateway.loop
    loop.run_until_complete(database.close())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
def make_api(
    database_url: str, url_as: Callable[[str], str], endpoint: Lambda, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Api]]:
    """``make_api(page=..., LIMIT_X="1")`` is a client of a function with those settings."""
    databases: list[Database] = []
    made: list[tuple[Api, Database]] = []
    remember(monkeypatch, databases)

    def make(**settings: Any) -> Api:
        api = Api(database_url, url_as("accept"), endpoint, **settings)
        made.append((api, databases[-1]))
        return api

    yield make
    for api, database in made:
        finish(api, database)


@pytest.fixture
def api(make_api: Callable[..., Api]) -> Api:
    return make_api()


@pytest.fixture(scope="module")
def shared_api(postgres_server: Postgres) -> Iterator[Api]:
    """One function for all tests of a module, for those that store nothing."""
    name = "refusals"
    postgres_server.create_database(name, template=TEMPLATE)
    with pytest.MonkeyPatch.context() as patch, local_lambda() as endpoint:
        give_credentials(patch)
        made: list[Database] = []
        remember(patch, made)
        api = Api(postgres_server.url(name), postgres_server.url(name, "accept"), endpoint)
        yield api
        finish(api, made[0])
    postgres_server.drop_database(name)
