"""Status and headers in the form that API Gateway reads ahead of a streamed body."""

import json
from collections.abc import Iterable, Sequence

from lanekeeper.types import Json

DELIMITER = b"\0" * 8

# API Gateway frames the body itself.
_CONNECTION_HEADERS = frozenset({"content-length", "transfer-encoding", "connection"})


def prelude(status: int, headers: Iterable[Sequence[bytes]]) -> bytes:
    """The JSON prelude and its delimiter, for an ASGI status and ASGI headers.

    A header that stands once goes to ``headers``, one that is repeated to ``multiValueHeaders``, in order.
    """
    values: dict[str, list[str]] = {}
    for raw_name, raw_value in headers:
        values.setdefault(raw_name.decode("latin-1").lower(), []).append(raw_value.decode("latin-1"))
    cookies = values.pop("set-cookie", [])
    for framing in _CONNECTION_HEADERS:
        values.pop(framing, None)

    start: Json = {
        "statusCode": status,
        "headers": {name: texts[0] for name, texts in values.items() if len(texts) == 1},
    }
    if repeated := {name: texts for name, texts in values.items() if len(texts) > 1}:
        start["multiValueHeaders"] = repeated
    if cookies:
        start["cookies"] = cookies
    return json.dumps(start).encode() + DELIMITER
