"""The accept function on a database of its own."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from lanekeeper.postgres import Database
from tests.integration.accept.api import Api, Lambda, local_lambda


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lambda]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    with local_lambda() as endpoint:
        yield endpoint


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Database]]:
    """Every Database that the wiring makes, so that it can be closed."""
    made: list[Database] = []
    connect = Database.__init__

    def remember(self: Database, *arguments: object, **named: object) -> None:
        connect(self, *arguments, **named)  # type: ignore[arg-type]
        made.append(self)

    monkeypatch.setattr(Database, "__init__", remember)
    yield made


@pytest.fixture
def make_api(
    database_url: str, url_as: Callable[[str], str], endpoint: Lambda, opened: list[Database]
) -> Iterator[Callable[..., Api]]:
    """``make_api(page=..., LIMIT_X="1")`` is a client of a function with those settings."""
    made: list[Api] = []

    def make(**settings: object) -> Api:
        made.append(Api(database_url, url_as("accept"), endpoint, **settings))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for api, database in zip(made, opened, strict=True):
        api.gateway.loop.run_until_complete(database.close())
        api.gateway.loop.run_until_complete(api.gateway.loop.shutdown_default_executor())
        api.gateway.loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
def api(make_api: Callable[..., Api]) -> Api:
    return make_api()
