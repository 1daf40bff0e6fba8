"""The accept function: its routes on one connection, driven by API Gateway's events."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents import CATALOGUE
from lanekeeper.accept import Gateway, Services, build_app
from lanekeeper.accept.choices import Choices
from lanekeeper.accept.page import Page
from lanekeeper.accept.readiness import AskModels, Readiness
from lanekeeper.conversations import Conversations
from lanekeeper.functions import Functions, Waker
from lanekeeper.inbox import Inbox
from lanekeeper.ledger.overview import Overview
from lanekeeper.limits import Limits
from lanekeeper.people import Identity, People
from lanekeeper.postgres import Database
from lanekeeper.settings import Settings, SettingsError

if TYPE_CHECKING:
    from lanekeeper.accept.export import Export
    from lanekeeper.memory.own import OwnNotes
    from lanekeeper.uploads import Uploads


def build(environment: Mapping[str, str] = os.environ) -> Gateway:
    """What answers the function's events. Nothing is dialled before the first of them.

    Raises:
        SettingsError: a setting is missing or not allowed.
    """
    # It logs each path, and a path may hold anything.
    logging.getLogger("mangum").setLevel(logging.CRITICAL)
    settings = Settings.from_environment(environment)
    return Gateway(build_app(services(settings, Limits.from_environment(environment))))


def services(settings: Settings, limits: Limits) -> Services:
    """Everything behind the routes.

    Raises:
        SettingsError: a setting is missing or not allowed.
    """
    settings.require("database_url", "mainline_base_url", "worker_function", "maintenance_function")
    database = Database(settings.dial, "lanekeeper-accept", pooled=settings.database_pooled)
    choices = Choices({agent.id: agent.name for agent in CATALOGUE}, database, limits)
    functions = Functions(settings.lambda_endpoint, settings.region, limits.wake_timeout_s)

    @cache
    def uploads() -> Uploads:
        from lanekeeper.uploads import Uploads

        return Uploads(database, limits)

    @cache
    def notes() -> OwnNotes:
        from lanekeeper.memory.own import OwnNotes

        return OwnNotes(database, limits)

    @cache
    def export() -> Export:
        from lanekeeper.accept.export import Export
        from lanekeeper.conversations.everything import Everything

        return Export(People(database), notes(), Everything(database), limits)

    return Services(
        identity=Identity.from_settings(settings, limits),
        people=People(database),
        inbox=Inbox(database, choices.first_agent_id, limits),
        conversations=Conversations(database, limits),
        uploads=uploads,
        notes=notes,
        export=export,
        choices=choices,
        readiness=Readiness(database, choices, _ask_models(settings, limits), limits),
        worker=Waker(functions, settings.worker_function, limits.wake_timeout_s),
        maintenance=Waker(functions, settings.maintenance_function, limits.wake_timeout_s),
        page=Page(Path(settings.page_dir) if settings.page_dir else None, _page_config(settings)),
        overview=Overview(database),
        limits=limits,
        shows_requests=settings.environment == "dev",
    )


def _ask_models(settings: Settings, limits: Limits) -> AskModels:
    async def ask() -> frozenset[str]:
        # Late: only a look at the health of the gateway needs an HTTP client here.
        from lanekeeper.mainline.client import Mainline

        mainline = Mainline(settings.mainline_base_url, settings.mainline_key, limits)
        try:
            return await mainline.models(limits.ready_timeout_s)
        finally:
            await mainline.close()

    return ask


def _page_config(settings: Settings) -> dict[str, Any]:
    """What the page is told before anyone signs in; PAGE_CONFIG adds to it and overrides it."""
    own: dict[str, Any] = {"mode": "oidc", "issuer": settings.oidc_issuer, "scopes": "openid profile"}
    if settings.oidc_clients:
        own["clientId"] = settings.oidc_clients[0]
    try:
        return {**own, **json.loads(settings.page_config or "{}")}
    except (ValueError, TypeError):
        raise SettingsError("PAGE_CONFIG must be a JSON object") from None
