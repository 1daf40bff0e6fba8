"""The stream function: one ASGI app on one connection, held by Mangum for the streaming loop."""

import os
from collections.abc import Mapping

from mangum import Mangum

from lanekeeper.limits import Limits
from lanekeeper.people import Identity
from lanekeeper.postgres import Database
from lanekeeper.settings import Settings
from lanekeeper.stream import Relay, StreamApp


def build(environment: Mapping[str, str] = os.environ) -> Mangum:
    """What the streaming loop serves. Nothing is dialled before the first request.

    Raises:
        SettingsError: a setting is missing or not allowed.
    """
    settings = Settings.from_environment(environment).require("database_url")
    limits = Limits.from_environment(environment)
    relay = Relay(Database(settings.dial, "lanekeeper-stream", pooled=settings.database_pooled), limits)
    return Mangum(StreamApp(Identity.from_settings(settings, limits), relay, limits), lifespan="off")
