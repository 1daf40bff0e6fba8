"""The migrate function: a deployment's custom resource, and the same by hand."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from psycopg.conninfo import make_conninfo

from lanekeeper.migrate import custom_resource
from lanekeeper.migrate.deployment import Deployment
from lanekeeper.settings import Settings, SettingsError
from lanekeeper.types import Json

# What must be left of the function's time to answer.
_ANSWER_S = 30.0


def build(environment: Mapping[str, str] = os.environ, *, migrations: Path) -> Callable[[Json, Any], Json]:
    """The handler. An event of CloudFormation's is answered there; any other answers with what was applied.

    By hand, a database that is ahead of this release is refused.

    Args:
        environment: where the settings are.
        migrations: the folder of the numbered files.

    Raises:
        SettingsError: a setting is missing or not allowed.
    """
    settings = Settings.from_environment(environment).require("database_url")
    deployment = Deployment(
        connect=lambda: _conninfo(settings),
        folder=migrations,
        maintenance=settings.maintenance_function,
        region=settings.region,
    )

    def handler(event: Json, context: Any) -> Json:
        def migrate() -> list[str]:
            return deployment.run(context.get_remaining_time_in_millis() / 1000 - _ANSWER_S)

        if custom_resource.is_request(event):
            return custom_resource.handle(event, migrate)
        return {"applied": migrate()}

    return handler


def _conninfo(settings: Settings) -> str:
    if settings.database_ca and not Path(settings.database_ca).is_file():
        raise SettingsError(f"DATABASE_CA: {settings.database_ca} is not in this build; run `make rds-ca` before it")
    settings.database_password.forget()
    return make_conninfo(**settings.dial())
