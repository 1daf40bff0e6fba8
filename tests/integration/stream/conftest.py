"""The stream's ASGI app on this test's database, as its own role; somebody who writes, and signed tokens."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lanekeeper import clock
from lanekeeper.limits import Limits
from lanekeeper.people import Identity, Issuer, KeySet
from lanekeeper.postgres import Database
from lanekeeper.stream import Relay, StreamApp
from tests.conftest import ConnectAs
from tests.devkit import sdk
from tests.integration.stream.author import Author
from tests.integration.stream.tab import Tab
from tests.integration.stream.validator import VALIDATOR
from tests.unit.people.issuer import CLIENT, URL, claims, ec_key, public, sign

KEY = ec_key()
KEYS = json.dumps({"keys": [public(KEY, "k1")]})

OpenTab = Callable[..., Tab]


def token(user_id: str = "ana") -> str:
    return sign(claims(clock.now(), sub=user_id), KEY, algorithm="ES256")


def make_app(database: Database, **limits: float) -> StreamApp:
    """The stream as a process of its own has it."""
    numbers = Limits(**limits)  # type: ignore[arg-type]
    issuer = Issuer(url=URL, kind="cognito", clients=frozenset({CLIENT}))
    return StreamApp(Identity(issuer, KeySet(numbers, inline=KEYS), numbers), Relay(database, numbers), numbers)


@pytest.fixture
def stream_app(database_as: Callable[[str], Database]) -> Callable[..., StreamApp]:
    """``stream_app(poll_ms=10)`` is an app on a connection of its own."""
    return lambda **limits: make_app(database_as("stream"), **limits)


@pytest.fixture
def open_tab(stream_app: Callable[..., StreamApp]) -> OpenTab:
    """``async with open_tab(turn.path, turn.query) as tab`` on one app; ``user_id`` says who asks."""
    default = stream_app()

    def open_on(
        path: str, query: str = "", *, user_id: str | None = "ana", app: StreamApp | None = None, **more: Any
    ) -> Tab:
        return Tab(app or default, path, query, **{"token": user_id and token(user_id), **more})

    return open_on


@pytest.fixture
async def author(connect_as: ConnectAs) -> Author:
    """Whoever writes rows."""
    return Author(await connect_as())


@pytest.fixture(scope="session")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the validator that may be installed into: the shared folder is only read."""
    folder = tmp_path_factory.mktemp("validator") / "ui-stream"
    shutil.copytree(VALIDATOR, folder, ignore=shutil.ignore_patterns("node_modules", "captures", "test"))
    folder.chmod(0o755)
    sdk.install(folder)
    return folder
