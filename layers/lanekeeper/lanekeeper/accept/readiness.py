"""Whether the database and the model can be reached now."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import psycopg

from lanekeeper import clock
from lanekeeper.accept.choices import Choices
from lanekeeper.errors import DatabaseUnreachableError
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database

AskModels = Callable[[], Awaitable[frozenset[str]]]

logger = logging.getLogger(__name__)


class Readiness:
    """Looks at what every turn needs (L8).

    Args:
        ask_models: the gateway ids of the models that may be used; raises when the gateway cannot say.
        limits: how long a look may take, and how long the gateway's answer is believed.
    """

    def __init__(self, database: Database, choices: Choices, ask_models: AskModels, limits: Limits) -> None:
        self._database = database
        self._choices = choices
        self._ask_models = ask_models
        self._limits = limits
        self._model = False
        self._asked_at: float | None = None

    async def look(self) -> dict[str, bool]:
        """For the database and the model, by name, whether it is there."""
        return {"database": await self._database_is_there(), "model": await self._model_is_there()}

    async def _database_is_there(self) -> bool:
        try:
            async with asyncio.timeout(self._limits.ready_timeout_s), self._database.transaction() as transaction:
                return await transaction.row("select 1 as there from settings limit 0") is None
        except (DatabaseUnreachableError, psycopg.Error, TimeoutError) as error:
            logger.error("not ready: database: %s", type(error).__name__)
            return False

    async def _model_is_there(self) -> bool:
        if self._asked_at is None or clock.monotonic() - self._asked_at >= self._limits.ready_cache_s:
            self._model = await self._ask()
            self._asked_at = clock.monotonic()
        return self._model

    async def _ask(self) -> bool:
        try:
            async with asyncio.timeout(self._limits.ready_timeout_s):
                usable = await self._ask_models()
                chosen = (await self._choices.models()).choose()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the gateway, it is not ready
            logger.error("not ready: model: %s", type(error).__name__)
            return False
        if chosen.gateway_id not in usable:
            logger.error("not ready: the gateway does not let us use the default model")
        return chosen.gateway_id in usable
