"""What there is to choose from, whether the product is well, and the page's files."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from lanekeeper.accept.answers import ChoicePage, Health, Ready, Unready
from lanekeeper.accept.services import Services
from lanekeeper.errors import Problem


def about_routes(services: Services) -> APIRouter:
    """The small routes."""
    routes = APIRouter()

    @routes.get("/agents", tags=["catalogue"], response_class=JSONResponse, responses={200: {"model": ChoicePage}})
    async def agents(request: Request) -> Response:
        await services.person(request)
        listed = [{"id": one, "name": name} for one, name in services.choices.agents.items()]
        return JSONResponse({"items": listed, "next": None})

    @routes.get("/models", tags=["catalogue"], response_class=JSONResponse, responses={200: {"model": ChoicePage}})
    async def models(request: Request) -> Response:
        await services.person(request)
        listed = [model.public() for model in (await services.choices.models()).models]
        return JSONResponse({"items": listed, "next": None})

    @routes.get("/health", tags=["health"], response_class=JSONResponse, responses={200: {"model": Health}})
    async def health() -> Response:
        return JSONResponse({"status": "ok"})

    @routes.get(
        "/health/ready",
        tags=["health"],
        response_class=JSONResponse,
        responses={200: {"model": Ready}, 503: {"model": Unready}},
    )
    async def ready() -> Response:
        checks = {name: "ok" if there else "failed" for name, there in (await services.readiness.look()).items()}
        missing = [name for name, found in checks.items() if found == "failed"]
        if not missing:
            return JSONResponse({"status": "ok", "checks": checks})
        problem = Problem(503, "not_ready", f"Not reachable: {', '.join(missing)}.", "Try again soon.", retryable=True)
        return JSONResponse({**problem.body(), "checks": checks}, 503)

    @routes.get("/", include_in_schema=False)
    async def index() -> Response:
        return services.page.index()

    @routes.get("/config.json", include_in_schema=False)
    async def config() -> Response:
        return services.page.config()

    @routes.get("/assets/{name:path}", include_in_schema=False)
    async def asset(name: str) -> Response:
        return services.page.asset(name)

    return routes
