"""From a request's body to the message its sender means."""

import json
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request

from lanekeeper.accept.bodies import NativeMessage, SdkRequest, SdkUserMessage, Wishes
from lanekeeper.decisions.rules import order_in
from lanekeeper.errors import Problem
from lanekeeper.inbox import Incoming
from lanekeeper.inbox.rules import Named, is_id, is_key, is_storable, key_of
from lanekeeper.limits import Limits
from lanekeeper.people import known_timezone
from lanekeeper.types import Json, new_id

M = TypeVar("M", bound=BaseModel)

# Escapes that may stand for NUL or for half of a surrogate pair: only then is every string looked at.
_SUSPECT = (b"\\u0000", b"\\ud", b"\\uD")


async def read_object(request: Request, limits: Limits) -> Json:
    """A request's body as a JSON object.

    Raises:
        Problem: 415 unless it is declared as JSON in UTF-8; 413 beyond ``limits.body_bytes``; 400 when it is no
            JSON; 422 when it is no object, or holds what Postgres cannot keep.
    """
    _check_type(request.headers.get("content-type", ""))
    body = await read_bytes(request, limits.body_bytes)
    try:
        value = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise Problem(400, "invalid_json", "The body is not JSON.", "Send a JSON object in UTF-8.") from None
    if not isinstance(value, dict):
        raise invalid("the body must be a JSON object")
    if any(escape in body for escape in _SUSPECT) and not is_storable(value):
        raise invalid("the body holds a NUL or half of a surrogate pair")
    return value


def read_message(body: Json, headers: Headers, limits: Limits) -> Incoming:
    """The message of a ``POST /chat``, in the native form or in the AI SDK's.

    Raises:
        Problem: 422.
    """
    key = read_key(headers, limits)
    message = _from_sdk(body, key) if "messages" in body else _native(body, key)
    if not message.text.strip() and not message.attachments:
        raise invalid("text: must not be empty")
    if len(message.attachments) > limits.uploads_per_message:
        raise invalid(f"attachments: must be at most {limits.uploads_per_message}")
    if len(message.text) > limits.text_chars:
        raise invalid(f"text: must have at most {limits.text_chars} characters")
    if not is_id(message.message_id, limits.id_chars) or not is_id(message.conversation or "new", limits.id_chars):
        raise invalid(f"ids: must have at most {limits.id_chars} characters")
    return replace(message, order=order_in(message.text) is not None and not message.attachments)


def read_key(headers: Headers, limits: Limits) -> str | None:
    """What makes a repeat of a request a repeat, where its sender says so.

    Raises:
        Problem: 422.
    """
    key = headers.get("idempotency-key")
    if key is not None and not is_key(key, limits.id_chars):
        raise invalid("Idempotency-Key: must be printable ASCII without spaces")
    return key


def read(model: type[M], value: Any) -> M:
    """A checked body.

    Raises:
        Problem: 422 that names the first field that does not fit.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise invalid(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def invalid(reason: str) -> Problem:
    """A refusal of something that does not fit."""
    return Problem(422, "invalid", f"The request does not fit: {reason}.", "Correct it and send it again.")


def _native(body: Json, key: str | None) -> Incoming:
    message = read(NativeMessage, body)
    message_id = message.message_id or new_id("msg")
    return Incoming(
        key=key_of(key, message_id, None),
        text=message.text,
        message_id=message_id,
        conversation=message.conversation_id,
        may_begin=message.conversation_id is None,
        spoken=message.spoken,
        attachments=tuple(Named(upload_id) for upload_id in message.attachments),
        **_wishes(message),
    )


def _from_sdk(body: Json, key: str | None) -> Incoming:
    request = read(SdkRequest, body)
    last = next(
        (one for one in reversed(request.messages) if isinstance(one, dict) and one.get("role") == "user"), None
    )
    if last is None:
        raise invalid("messages: none of them is the user's")
    message = read(SdkUserMessage, last)
    again = request.trigger == "regenerate-message"
    return Incoming(
        key=key_of(
            key, message.id if again else request.message_id or message.id, request.message_id if again else None
        ),
        text="\n".join(part.text for part in message.parts if part.type == "text"),
        message_id=message.id,
        conversation=request.id,
        again=again,
        replaces=request.message_id or key,
        attachments=tuple(Named(part.url, part.filename) for part in message.parts if part.type == "file"),
        **_wishes(request),
    )


def _wishes(wishes: Wishes) -> dict[str, Any]:
    return {
        "agent_id": wishes.agent_id,
        "model_id": wishes.model_id,
        "timezone": known_timezone(wishes.timezone),
    }


def _check_type(content_type: str) -> None:
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [parameter for parameter in parameters if parameter.startswith("charset=")]
    if kind != "application/json" or any(
        charset.strip('"') not in ("charset=utf-8", 'charset="utf-8') for charset in charsets
    ):
        raise Problem(415, "not_json", "Only JSON is read here.", "Send Content-Type: application/json.")


async def read_bytes(request: Request, max_bytes: int) -> bytes:
    """A request's body.

    Raises:
        Problem: 413 beyond ``max_bytes``.
    """
    too_large = Problem(
        413,
        "too_large",
        f"The body is larger than {max_bytes} bytes.",
        "Send less at once, and files to POST /uploads.",
    )
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > max_bytes:
        raise too_large
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > max_bytes:
            raise too_large
    return bytes(body)
