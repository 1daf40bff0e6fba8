"""The OpenAPI document: what the routes say of themselves, and what is true of all of them."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from lanekeeper.accept.answers import Refusal
from lanekeeper.accept.bodies import ConversationChange, NativeMessage, ProfileChange, SdkRequest, SdkUserMessage
from lanekeeper.types import Json

_REF = "#/components/schemas/{model}"
_BY_HAND: tuple[type[BaseModel], ...] = (
    NativeMessage,
    SdkRequest,
    SdkUserMessage,
    ConversationChange,
    ProfileChange,
    Refusal,
)
_OPEN = ("/health", "/health/ready", "/openapi.json")

_STREAM: Json = {
    "get": {
        "tags": ["chat"],
        "summary": "Follow a turn",
        "description": "Served by the stream function. Server-sent events of the AI SDK UI message stream, v1.",
        "operationId": "stream",
        "parameters": [
            {"name": "conversationId", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "turn", "in": "query", "schema": {"type": "string"}},
            {"name": "after", "in": "query", "schema": {"type": "integer", "minimum": 0}},
            {"name": "Last-Event-ID", "in": "header", "schema": {"type": "integer", "minimum": 0}},
        ],
        "responses": {
            "200": {"description": "The turn.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
            "204": {"description": "No turn was named and none runs."},
        },
    }
}


def add_document(app: FastAPI) -> None:
    """Let ``app.openapi()`` give the whole document, made once."""

    def document() -> Json:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> Json:
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    _, defined = models_json_schema([(model, "validation") for model in _BY_HAND], ref_template=_REF)
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas.update(defined["$defs"])
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}
    document["paths"]["/chat/{conversationId}/stream"] = _STREAM
    refusal: dict[str, Any] = {
        "description": "A refusal, in plain words.",
        "content": {"application/json": {"schema": {"$ref": _REF.format(model="Refusal")}}},
    }
    for path, operations in document["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = refusal
            operation["security"] = [] if path in _OPEN else [{"token": []}]
            if path not in _OPEN:
                operation["responses"]["401"] = refusal
    return document
