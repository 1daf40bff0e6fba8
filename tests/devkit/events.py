"""API Gateway's REST proxy events: from a request to the event a function gets, and from its answer back."""

import base64
import json
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

Json = dict[str, Any]
Header = tuple[str, str]

ACCOUNT = "000000000000"
API_ID = "localrestapi"

# Sizes in bytes: of a request's body, and of the event or the answer that Lambda carries.
BODY_LIMIT = 10 * 2**20
EVENT_LIMIT = 6_291_556

# What API Gateway does not hand through under its own name.
_REMAPPED = frozenset({"connection", "content-length", "date", "server", "www-authenticate", "transfer-encoding"})
_DELIMITER = b"\0" * 8


class MalformedAnswerError(Exception):
    """A function's answer is none that API Gateway understands; the client is told of an internal error."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes: the function, and the resource of the API that matched."""

    function: str
    resource: str
    path_parameters: dict[str, str] | None
    streamed: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and body for the client."""

    status: int
    headers: list[Header] = field(default_factory=list)
    body: bytes = b""


def route(method: str, path: str) -> Route:
    """The route of a decoded path, without its stage: a conversation's stream is streamed, all else is accept's."""
    parts = path.split("/")
    if method == "GET" and len(parts) == 4 and parts[1] == "chat" and parts[2] and parts[3] == "stream":
        return Route("stream", "/chat/{conversationId}/stream", {"conversationId": parts[2]}, streamed=True)
    if path == "/":
        return Route("accept", "/", None)
    return Route("accept", "/{proxy+}", {"proxy": path.removeprefix("/")})


def event(
    method: str,
    path: str,
    query: str,
    headers: Sequence[Header],
    body: bytes,
    *,
    to: Route,
    stage: str,
    source_ip: str,
    host: str,
) -> Json:
    """The proxy event (format 1.0) of a request. ``path`` is as the client sent it, without the stage."""
    pairs = [*headers, ("X-Forwarded-For", source_ip), ("X-Forwarded-Port", host.rpartition(":")[2])]
    pairs.append(("X-Forwarded-Proto", "http"))
    multi_headers = one_spelling((name, value) for name, value in pairs if name.lower() not in ("connection", "expect"))
    multi_query: dict[str, list[str]] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        multi_query.setdefault(name, []).append(value)
    request_id = str(uuid.uuid4())
    now = time.time()
    return {
        "resource": to.resource,
        "path": path,
        "httpMethod": method,
        "headers": {name: values[-1] for name, values in multi_headers.items()},
        "multiValueHeaders": multi_headers,
        "queryStringParameters": {name: values[-1] for name, values in multi_query.items()} or None,
        "multiValueQueryStringParameters": multi_query or None,
        "pathParameters": {name: unquote(value) for name, value in to.path_parameters.items()}
        if to.path_parameters
        else None,
        "stageVariables": None,
        "requestContext": {
            "resourceId": "local",
            "resourcePath": to.resource,
            "httpMethod": method,
            "extendedRequestId": request_id[:13],
            "requestTime": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
            "path": f"/{stage}{path}" if stage else path,
            "accountId": ACCOUNT,
            "protocol": "HTTP/1.1",
            "stage": stage or "local",
            "domainPrefix": host.partition(".")[0],
            "requestTimeEpoch": int(now * 1000),
            "requestId": request_id,
            "identity": {"sourceIp": source_ip, "userAgent": next(iter(multi_headers.get("User-Agent", ())), None)},
            "domainName": host,
            "apiId": API_ID,
        },
        # The API takes every media type as binary, so a body always travels as base64.
        "body": base64.b64encode(body).decode() if body else None,
        "isBase64Encoded": bool(body),
    }


def answer(payload: bytes) -> Answer:
    """The client's answer from what a buffered function returned.

    Raises:
        MalformedAnswerError: it is no proxy answer, or larger than Lambda carries.
    """
    if len(payload) > EVENT_LIMIT:
        raise MalformedAnswerError("larger than 6 MB")
    try:
        value = json.loads(payload)
        body = value.get("body") or ""
        data = base64.b64decode(body, validate=True) if value.get("isBase64Encoded") else body.encode()
        return Answer(int(value["statusCode"]), _answer_headers(value), data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise MalformedAnswerError(type(error).__name__) from error


def split_prelude(gathered_bytes: bytes) -> tuple[Answer, bytes] | None:
    """Status and headers of a streamed answer, and what came after them; None while they are incomplete.

    Raises:
        MalformedAnswerError: they are no prelude.
    """
    start, delimiter, rest = gathered_bytes.partition(_DELIMITER)
    if not delimiter:
        if len(start) > 64 * 1024:
            raise MalformedAnswerError("no prelude")
        return None
    try:
        value = json.loads(start)
        return Answer(int(value["statusCode"]), _answer_headers(value)), rest
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise MalformedAnswerError(type(error).__name__) from error


def one_spelling(pairs: Iterable[Header]) -> dict[str, list[str]]:
    """Headers with all their values, in order. A name is spelled as it came first."""
    spelled: dict[str, str] = {}
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(spelled.setdefault(name.lower(), name), []).append(value)
    return values


def _answer_headers(value: Json) -> list[Header]:
    multi = value.get("multiValueHeaders") or {}
    pairs = [(name, one) for name, values in multi.items() for one in values]
    repeated = {name.lower() for name in multi}
    pairs += [(name, one) for name, one in (value.get("headers") or {}).items() if name.lower() not in repeated]
    pairs += [("Set-Cookie", cookie) for cookie in value.get("cookies") or ()]
    headers = []
    for name, one in pairs:
        text = str(one).lower() if isinstance(one, bool) else str(one)
        if "\r" in text or "\n" in text:
            raise ValueError("a header of more than one line")
        if name.lower() not in _REMAPPED:
            headers.append((name, text))
        elif name.lower() in ("www-authenticate", "date", "server"):
            headers.append((f"x-amzn-Remapped-{name}", text))
    if not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("Content-Type", "application/json"))
    return headers
