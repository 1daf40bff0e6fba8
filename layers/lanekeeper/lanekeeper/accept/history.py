"""A person's conversations: list, history, feed, change, delete."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from lanekeeper.accept.answers import Conversation, ConversationPage, MessagePage
from lanekeeper.accept.bodies import ConversationChange
from lanekeeper.accept.paging import PAGE_ITEMS, Limit, Place, place_of
from lanekeeper.accept.path import ConversationId, known_id
from lanekeeper.accept.reading import invalid, read, read_object
from lanekeeper.accept.services import Services

_CHANGE: dict[str, Any] = {
    "required": True,
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ConversationChange"}}},
}


def history_routes(services: Services) -> APIRouter:
    """The routes on conversations."""
    routes = APIRouter(tags=["conversations"], prefix="/conversations")

    @routes.get(
        "", summary="List conversations", response_class=JSONResponse, responses={200: {"model": ConversationPage}}
    )
    async def conversations(request: Request, cursor: Place = None, limit: Limit = PAGE_ITEMS) -> Response:
        person = await services.person(request)
        page = await services.conversations.page(person.id, place_of(cursor), limit)
        return JSONResponse(page.body())

    @routes.patch(
        "/{conversationId}",
        summary="Rename a conversation, or choose who answers in it",
        response_class=JSONResponse,
        responses={200: {"model": Conversation}},
        openapi_extra={"requestBody": _CHANGE},
    )
    async def change(request: Request, conversation_id: ConversationId) -> Response:
        person = await services.person(request)
        wanted = read(ConversationChange, await read_object(request, services.limits))
        changed: dict[str, str | None] = {}
        if "title" in wanted.model_fields_set:
            changed["title"] = " ".join(wanted.title.split())
            if not changed["title"]:
                raise invalid("title: must not be empty")
        if "model_id" in wanted.model_fields_set:
            await services.choices.check(None, wanted.model_id)
            changed["model_id"] = wanted.model_id
        name = known_id(conversation_id, services.limits)
        return JSONResponse(await services.conversations.change(person.id, name, changed))

    @routes.delete(
        "/{conversationId}",
        status_code=204,
        summary="Delete a conversation",
        description="Its messages and its files go with it. A file that another one shows as well stays there.",
        response_class=Response,
    )
    async def delete(request: Request, conversation_id: ConversationId) -> Response:
        person = await services.person(request)
        await services.conversations.delete(person.id, known_id(conversation_id, services.limits))
        return Response(status_code=204)

    @routes.get(
        "/{conversationId}/messages",
        summary="Read the history",
        response_class=JSONResponse,
        responses={200: {"model": MessagePage}},
    )
    async def messages(
        request: Request, conversation_id: ConversationId, before: Place = None, limit: Limit = PAGE_ITEMS
    ) -> Response:
        person = await services.person(request)
        name = known_id(conversation_id, services.limits)
        page = await services.conversations.history(person.id, name, place_of(before), limit)
        return JSONResponse(page.body())

    @routes.get(
        "/{conversationId}/feed",
        summary="Read what arrived outside a turn",
        response_class=JSONResponse,
        responses={200: {"model": MessagePage}},
    )
    async def feed(
        request: Request, conversation_id: ConversationId, after: Place = None, limit: Limit = PAGE_ITEMS
    ) -> Response:
        person = await services.person(request)
        name = known_id(conversation_id, services.limits)
        page = await services.conversations.feed(person.id, name, place_of(after), limit)
        return JSONResponse(page.body())

    return routes
