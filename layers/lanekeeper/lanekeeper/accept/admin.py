"""What administrators may look at: turns and their traces, costs, limits. Every look is written down."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BeforeValidator

from lanekeeper import clock
from lanekeeper.accept.admin_answers import (
    CostPage,
    LimitPage,
    NightPage,
    ToolUse,
    Trace,
    TurnPage,
    TurnStory,
    as_json,
)
from lanekeeper.accept.answers import Refusal
from lanekeeper.accept.reading import invalid
from lanekeeper.accept.services import Services
from lanekeeper.errors import Problem
from lanekeeper.inbox.rules import is_id
from lanekeeper.limits import Limits
from lanekeeper.traces.compact import unpacked

GROUP = "admin"
LONGEST = timedelta(days=366)
USUAL = timedelta(days=30)

_PAGE = Limits().page_items
_REFUSED: dict[int | str, dict[str, Any]] = {403: {"model": Refusal, "description": "Not an administrator."}}

TurnId = Annotated[str, Path(alias="turnId", description="A turn's id, also of one that was folded into another.")]
Limit = Annotated[int, Query(ge=1, le=_PAGE, description="The most items to answer with.")]
Before = Annotated[str | None, Query(max_length=200, description="The `next` of an earlier page.")]
State = Annotated[
    Literal["queued", "running", "done", "failed", "stopped"] | None, Query(description="Only turns in this state.")
]
User = Annotated[
    str | None,
    Query(pattern="^[0-9a-f]{16}$", description="Only turns of the person whom logs and traces name by this hash."),
]
Failure = Annotated[
    str | None,
    Query(pattern="^[a-z0-9_]{1,60}$", description="Only turns that ended for this reason, such as `turn_time`."),
]
# Pydantic alone would take a number for a moment in time.
Day = Annotated[date, BeforeValidator(date.fromisoformat)]
From = Annotated[Day | None, Query(alias="from", description="The first day, UTC. 30 days before `to` if left out.")]
To = Annotated[Day | None, Query(description="The last day, UTC. Today if left out.")]


def admin_routes(services: Services) -> APIRouter:
    """The administrators' routes."""
    routes = APIRouter(tags=["admin"], prefix="/admin")

    async def reader(request: Request) -> str:
        """The id of the administrator who asks.

        Raises:
            Problem: 401, 403, 503; 422 for a query parameter that the route does not know: it would filter nothing.
        """
        person = await services.person(request)
        if GROUP not in person.groups:
            raise Problem(403, "forbidden", "This is for administrators.", "Ask the owner of the service for access.")
        known = {parameter.alias for parameter in request.scope["route"].dependant.query_params}
        for name in request.query_params:
            if name not in known:
                raise invalid(f"{name[:60]}: not a parameter of this route")
        return person.id

    @routes.get(
        "/turns",
        summary="List turns",
        operation_id="adminTurns",
        response_class=JSONResponse,
        responses={200: {"model": TurnPage}, **_REFUSED},
    )
    async def turns(
        request: Request,
        *,
        before: Before = None,
        limit: Limit = _PAGE,
        state: State = None,
        user: User = None,
        failure: Failure = None,
    ) -> Response:
        actor = await reader(request)
        if before is not None and not is_id(before, services.limits.id_chars):
            raise invalid("before: not a turn's id")
        rows = await services.overview.turns(actor, before, limit + 1, state=state, user=user, failure=failure)
        further = rows[limit - 1]["id"] if len(rows) > limit else None
        return JSONResponse(as_json(TurnPage(items=rows[:limit], next=further)))  # type: ignore[arg-type]

    @routes.get(
        "/turns/{turnId}",
        summary="Read a turn's whole story",
        operation_id="adminTurn",
        response_class=JSONResponse,
        responses={200: {"model": TurnStory}, **_REFUSED},
    )
    async def turn(request: Request, turn_id: TurnId) -> Response:
        actor = await reader(request)
        known = is_id(turn_id, services.limits.id_chars)
        found = await services.overview.turn(actor, turn_id) if known else None
        if found is None:
            raise Problem(404, "not_found", "There is no such turn.", "Choose one of GET /admin/turns.")
        if services.shows_requests:
            found["requests"] = await services.overview.requests(actor, found["id"])
        if found["trace"]:
            found["trace"]["spans"] = unpacked(found["trace"]["spans"])
        story = TurnStory.model_validate(found)
        story.micros = sum(paid.micros for paid in story.costs)
        story.tools = tool_uses(story.trace)
        return JSONResponse(as_json(story))

    @routes.get(
        "/costs",
        summary="Read what was paid",
        operation_id="adminCosts",
        response_class=JSONResponse,
        responses={200: {"model": CostPage}, **_REFUSED},
    )
    async def costs(request: Request, first: From = None, to: To = None) -> Response:
        actor = await reader(request)
        since, until = span_of(first, to)
        rows = await services.overview.costs(actor, since, until)
        people = await services.overview.spenders(actor, since, until, _PAGE)
        page = CostPage(items=rows, people=people, micros=sum(row["micros"] for row in rows))  # type: ignore[arg-type]
        return JSONResponse(as_json(page))

    @routes.get(
        "/limits",
        summary="Read which limits were met",
        operation_id="adminLimits",
        response_class=JSONResponse,
        responses={200: {"model": LimitPage}, **_REFUSED},
    )
    async def limits(request: Request, first: From = None, to: To = None) -> Response:
        actor = await reader(request)
        rows = await services.overview.limits(actor, *span_of(first, to))
        return JSONResponse(as_json(LimitPage(items=rows)))  # type: ignore[arg-type]

    @routes.get(
        "/nightly",
        summary="Read how many people each night covered",
        operation_id="adminNightly",
        response_class=JSONResponse,
        responses={200: {"model": NightPage}, **_REFUSED},
    )
    async def nightly(request: Request, first: From = None, to: To = None) -> Response:
        actor = await reader(request)
        since, until = span_of(first, to)
        rows = await services.overview.nights(actor, since.date(), until.date() - timedelta(days=1))
        last_run_at = rows[0]["last_run_at"] if rows else None
        return JSONResponse(as_json(NightPage(items=rows, last_run_at=last_run_at)))  # type: ignore[arg-type]

    return routes


def span_of(first: date | None, last: date | None) -> tuple[datetime, datetime]:
    """The moments between which these days lie, the second one excluded.

    Raises:
        Problem: 422, when they are in the wrong order, too many, or at the end of time.
    """
    today = clock.now().date()
    last = last or today
    try:
        first = first or last - USUAL
        until = last + timedelta(days=1)
    except OverflowError:
        raise invalid("to: too far away") from None
    if not timedelta(0) <= last - first <= LONGEST:
        raise invalid(f"from: must be at most {LONGEST.days} days before to")
    return datetime.combine(first, time(), UTC), datetime.combine(until, time(), UTC)


def tool_uses(trace: Trace | None) -> list[ToolUse]:
    """The tool calls of a trace."""
    return [
        ToolUse(
            name=str(span.attributes["gen_ai.tool.name"]),
            start_ms=span.start_us / 1000,
            ms=span.us / 1000,
            failed=span.error,
        )
        for span in (trace.spans if trace else ())
        if "gen_ai.tool.name" in span.attributes
    ]
