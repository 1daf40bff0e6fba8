"""Who calls: the key, and the person and feature that travel as headers."""

from dataclasses import dataclass
from urllib.parse import unquote

from tests.devkit.mainline.errors import ApiError
from tests.devkit.mainline.wire import Request

USER_HEADER = "x-mainline-user"
FEATURE_HEADER = "x-mainline-feature"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is behind a call."""

    user: str | None
    feature: str


def identify(request: Request, key: str, feature: str) -> Caller:
    """The caller of a request; ``feature`` is what it is for when no header says so.

    Raises:
        ApiError: 401 when the key is missing or another one.
    """
    if bearer(request) != key:
        raise ApiError(401, "Incorrect API key provided.", "invalid_api_key")
    user = request.headers.get(USER_HEADER)
    # Headers are Latin-1 on the wire; a name beyond that comes as UTF-8 or percent-encoded.
    name = unquote(user.encode("latin-1").decode("utf-8", "replace")) if user else None
    return Caller(name, request.headers.get(FEATURE_HEADER) or feature)


def bearer(request: Request) -> str:
    """The bearer token of a request, or an empty text."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
