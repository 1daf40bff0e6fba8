"""Puts the routes together."""

from fastapi import FastAPI

from lanekeeper.accept.about import about_routes
from lanekeeper.accept.admin import admin_routes
from lanekeeper.accept.chat import chat_routes
from lanekeeper.accept.edge import Edge
from lanekeeper.accept.history import history_routes
from lanekeeper.accept.me import own_routes
from lanekeeper.accept.openapi import add_document
from lanekeeper.accept.refusals import add_refusals
from lanekeeper.accept.services import Services
from lanekeeper.accept.uploads import upload_routes

__all__ = ["Services", "build_app"]


def build_app(services: Services) -> Edge:
    """The accept function's ASGI app."""
    app = FastAPI(
        title="Lanekeeper",
        version="1",
        description="A chat agent: send a message, follow its turn, read what was said.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        redirect_slashes=False,
    )
    rooms = (chat_routes, history_routes, upload_routes, own_routes, about_routes, admin_routes)
    routers = [routes(services) for routes in rooms]
    for router in routers:
        app.include_router(router)
    add_refusals(app, routers)
    add_document(app)
    return Edge(app)
