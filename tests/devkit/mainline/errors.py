"""Refusals in the shape that OpenAI's clients read."""

from typing import Any


class ApiError(Exception):
    """An answer other than 200.

    Args:
        status: the HTTP status.
        message: what is wrong, for a developer.
        code: the short name in the body.
        param: the field of the request that is at fault.
        headers: more headers for the answer, such as ``retry-after``.
    """

    def __init__(
        self, status: int, message: str, code: str, *, param: str | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param
        self.headers = headers

    def body(self) -> dict[str, Any]:
        """The error object of the body."""
        kind = _KINDS.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def invalid(message: str, param: str | None = None) -> ApiError:
    """A request that makes no sense."""
    return ApiError(400, message, "invalid_request", param=param)


def not_found(message: str) -> ApiError:
    """Nothing of that name."""
    return ApiError(404, message, "not_found")
