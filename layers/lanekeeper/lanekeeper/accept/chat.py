"""``POST /chat`` and stop: the only routes that have anything done."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from lanekeeper.accept.answers import Accepted, Refusal, Stopped
from lanekeeper.accept.bodies import NativeMessage, SdkRequest
from lanekeeper.accept.enclosures import find_enclosed
from lanekeeper.accept.path import ConversationId, known_id, prefix
from lanekeeper.accept.reading import read_message, read_object
from lanekeeper.accept.services import Services
from lanekeeper.errors import Problem
from lanekeeper.inbox import Accepted as Safe

_TAKEN_IN: dict[int | str, dict[str, Any]] = {
    202: {"model": Accepted, "description": "Accepted, to a client that prefers respond-async."},
    303: {"description": "Accepted; the stream that plays its turn is at Location."},
}
_HEADERS: list[dict[str, Any]] = [
    {"name": "Prefer", "in": "header", "schema": {"type": "string"}, "description": "respond-async: answer 202."},
    {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
        "description": "What makes a repeat a repeat; without it the message's id does.",
    },
]


def chat_routes(services: Services) -> APIRouter:
    """The routes that take messages in and stop their answers."""
    routes = APIRouter(tags=["chat"])

    @routes.post(
        "/chat",
        status_code=202,
        summary="Send a message",
        response_class=Response,
        responses={
            **_TAKEN_IN,
            409: {"model": Refusal, "description": "The key or the id stands for another message."},
        },
        openapi_extra={"parameters": _HEADERS, "requestBody": _described(NativeMessage, SdkRequest)},
    )
    async def chat(request: Request) -> Response:
        person = await services.person(request)
        message = read_message(await read_object(request, services.limits), request.headers, services.limits)
        await services.choices.check(message.agent_id, message.model_id)
        enclosed = await find_enclosed(services, person, message) if message.attachments else ()
        safe = await services.inbox.accept(
            person.id, message, name=person.name, home=person.timezone, roles=person.roles, enclosed=enclosed
        )
        if safe.wakes == "worker":
            await services.worker.wake({"turnId": safe.turn_id})
        elif safe.wakes == "maintenance":
            await services.maintenance.wake({"job": "tick"})
        return _answer(request, safe)

    @routes.post(
        "/chat/{conversationId}/stop",
        status_code=202,
        summary="Stop what is being answered",
        response_class=JSONResponse,
        responses={202: {"model": Stopped}, 200: {"model": Stopped, "description": "There was nothing to stop."}},
    )
    async def stop(request: Request, conversation_id: ConversationId) -> Response:
        person = await services.person(request)
        stopped = await services.inbox.stop(person.id, known_id(conversation_id, services.limits))
        body = {"state": stopped.state, "turnId": stopped.turn_id}
        return JSONResponse(body, 200 if stopped.state == "idle" else 202)

    @routes.get("/chat/{conversationId}/stream", include_in_schema=False)
    async def stream() -> Response:
        # Here for the methods it does not take: the stream function answers the one it does.
        raise Problem(404, "not_found", "There is nothing at this address.", "Check the address.")

    return routes


def _answer(request: Request, safe: Safe) -> Response:
    stream = f"{prefix(request.scope)}/chat/{safe.conversation_id}/stream?turn={safe.turn_id}"
    if not _prefers_async(request):
        # A stock client follows with GET. The turn is named, so it cannot be taken for another one.
        return Response(status_code=303, headers={"Location": stream})
    body = {
        "conversationId": safe.conversation_id,
        "messageId": safe.message_id,
        "turnId": safe.turn_id,
        "stream": stream,
        "state": safe.state,
    }
    return JSONResponse(body, 202, {"Preference-Applied": "respond-async"})


def _prefers_async(request: Request) -> bool:
    wishes = ",".join(request.headers.getlist("prefer")).lower().replace(";", ",")
    return "respond-async" in (wish.strip() for wish in wishes.split(","))


def _described(*forms: Any) -> dict[str, Any]:
    """The body of a route that reads it by itself."""
    schemas = [{"$ref": f"#/components/schemas/{form.__name__}"} for form in forms]
    schema = {"anyOf": schemas} if len(schemas) > 1 else schemas[0]
    return {"required": True, "content": {"application/json": {"schema": schema}}}
