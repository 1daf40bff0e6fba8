"""The person's own data: who they are, what is noted of them, and all that is kept."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response

from lanekeeper.accept.answers import ExportPage, Me, NotePage
from lanekeeper.accept.bodies import ProfileChange
from lanekeeper.accept.mark import Mark
from lanekeeper.accept.notes import note
from lanekeeper.accept.paging import PAGE_ITEMS, Limit, Place, not_ours, place_of
from lanekeeper.accept.reading import invalid, read, read_object
from lanekeeper.accept.services import Services
from lanekeeper.conversations.rules import Cursor, Page, fitting, place
from lanekeeper.errors import Problem
from lanekeeper.inbox.rules import is_id
from lanekeeper.limits import Limits
from lanekeeper.people import known_timezone

_MOST = Limits().export_items
_LAST = Cursor(datetime.max.replace(tzinfo=UTC), "~")
_CHANGE: dict[str, Any] = {
    "required": True,
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProfileChange"}}},
}


def own_routes(services: Services) -> APIRouter:
    """The routes on a person's own data. Whose it is, the token alone says (E1)."""
    routes = APIRouter(tags=["me"], prefix="/me")

    @routes.get("", summary="Who is signed in", response_class=JSONResponse, responses={200: {"model": Me}})
    async def me(request: Request) -> Response:
        return JSONResponse(await services.people.profile(await services.person(request)))

    @routes.put(
        "/profile",
        summary="Change what the agent knows of you",
        response_class=JSONResponse,
        responses={200: {"model": Me}},
        openapi_extra={"requestBody": _CHANGE},
    )
    async def change(request: Request) -> Response:
        person = await services.person(request)
        wanted = read(ProfileChange, await read_object(request, services.limits))
        return JSONResponse(await services.people.change(person, _changed(wanted)))

    @routes.get(
        "/notes",
        summary="Read what is noted of you, and why",
        response_class=JSONResponse,
        responses={200: {"model": NotePage}},
    )
    async def notes(request: Request, cursor: Place = None, limit: Limit = PAGE_ITEMS) -> Response:
        person = await services.person(request)
        start = place_of(cursor) or _LAST
        rows = await services.notes().page(person.id, (start.at, start.id), limit + 1)
        items = [note(row, services.limits.note_excerpt_chars) for row in rows[:limit]]
        count = fitting(items, services.limits.page_bytes)
        more = place(rows[count - 1], "saved_at") if len(rows) > count else None
        return JSONResponse(Page(items[:count], more).body())

    @routes.delete("/notes/{noteId}", status_code=204, summary="Have a note forgotten", response_class=Response)
    async def forget(request: Request, note_id: Annotated[str, Path(alias="noteId")]) -> Response:
        person = await services.person(request)
        known = is_id(note_id, services.limits.id_chars)
        taken_out = await services.notes().forget(person.id, note_id) if known else None
        if taken_out is None:
            raise Problem(404, "not_found", "There is no such note.", "See GET /me/notes for those there are.")
        if taken_out.waits:
            await services.worker.wake({})
        return Response(status_code=204)

    @routes.get(
        "/export",
        summary="Read all that is kept of you",
        description="Your profile, then notes with their messages, then conversations with theirs. Follow `next`.",
        response_class=JSONResponse,
        responses={200: {"model": ExportPage}},
    )
    async def export(
        request: Request, cursor: Place = None, limit: Annotated[int, Query(ge=1, le=_MOST)] = _MOST
    ) -> Response:
        person = await services.person(request)
        try:
            after = Mark.read(cursor) if cursor else None
        except ValueError:
            raise not_ours() from None
        return JSONResponse((await services.export().page(person, after, limit)).body())

    return routes


def _changed(wanted: ProfileChange) -> dict[str, Any]:
    """What a body changes, by column, with single blanks.

    Raises:
        Problem: 422.
    """
    changed: dict[str, Any] = {}
    for field in ("name", "home_city", "plan_tier"):
        if field in wanted.model_fields_set:
            line = getattr(wanted, field)
            changed[field] = line and " ".join(line.split())
            if changed[field] and not changed[field].isprintable():
                raise invalid(f"{field}: must be one line of text")
    if "budget" in wanted.model_fields_set:
        changed["budget"] = wanted.budget and (wanted.budget.amount, wanted.budget.currency)
    if "timezone" in wanted.model_fields_set:
        changed["timezone"] = known_timezone(wanted.timezone)
        if changed["timezone"] is None:
            raise invalid("timezone: must be an IANA time zone such as Europe/Berlin")
    return changed
