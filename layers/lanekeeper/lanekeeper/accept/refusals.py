"""Every refusal in the contract's shape, whoever found the fault."""

from collections.abc import Mapping, Sequence

import psycopg
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import Match

from lanekeeper.accept.reading import invalid
from lanekeeper.errors import AWAY, DatabaseUnreachableError, Problem
from lanekeeper.log import logger
from lanekeeper.redact import place

BROKEN = Problem(500, "internal", "Something went wrong on our side.", "Try again in a moment.", retryable=True)
_FRAMEWORKS = {
    404: Problem(404, "not_found", "There is nothing at this address.", "Check the address."),
    405: Problem(405, "method_not_allowed", "This address does not take that method.", "See the Allow header."),
}


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A problem as a response."""
    sent = dict(headers or {})
    if problem.status == 401:
        sent["WWW-Authenticate"] = "Bearer"
    if problem.retry_after_s is not None:
        sent["Retry-After"] = str(problem.retry_after_s)
    return JSONResponse(problem.body(), problem.status, sent)


def add_refusals(app: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Let every exception that one of the routes may raise become a refusal."""

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, Problem)
        return answer(error)

    async def unfitting(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        return answer(invalid(f"{first['loc'][-1]}: {first['msg']}"))

    async def framework(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        problem = _FRAMEWORKS.get(error.status_code) or Problem(
            error.status_code, "refused", "This cannot be answered.", "Check the request and send it again."
        )
        return answer(problem, {"Allow": ", ".join(_allowed(routers, request))} if error.status_code == 405 else None)

    async def away(_: Request, error: Exception) -> Response:
        logger.error("the database is away", extra={"at": place(error)})
        return answer(AWAY)

    async def broken(_: Request, error: Exception) -> Response:
        logger.error("a request failed", extra={"at": place(error)})
        return answer(BROKEN)

    app.add_exception_handler(Problem, refused)
    app.add_exception_handler(RequestValidationError, unfitting)
    app.add_exception_handler(HTTPException, framework)
    app.add_exception_handler(DatabaseUnreachableError, away)
    app.add_exception_handler(psycopg.OperationalError, away)
    app.add_exception_handler(Exception, broken)


def _allowed(routers: Sequence[APIRouter], request: Request) -> list[str]:
    """The methods of all routes at the address of a request."""
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    there = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in there for method in route.methods or ()})
