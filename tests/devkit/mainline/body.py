"""The JSON object that a request carries."""

import json
from typing import Any

from tests.devkit.mainline.errors import invalid


def parse(raw: bytes) -> dict[str, Any]:
    """The object in a request's body.

    Raises:
        ApiError: 400 when it is none.
    """
    try:
        body = json.loads(raw)
    except ValueError:
        raise invalid("the body is no JSON") from None
    if not isinstance(body, dict):
        raise invalid("the body is no JSON object")
    return body
