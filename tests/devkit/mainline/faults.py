"""The ways in which a provider is slow or fails, shared by every route that can be told to."""

import asyncio
from typing import NoReturn

from tests.devkit.mainline.errors import ApiError
from tests.devkit.mainline.wire import Reply

SILENCE_S = 600.0
"""How long a provider that has fallen silent holds the connection. Every client gives up before."""

_MESSAGES = {
    429: ("Rate limit reached for this key. Please slow down.", "rate_limit_exceeded"),
    500: ("The server had an error while processing your request.", "server_error"),
    503: ("The engine is currently overloaded. Please try again later.", "overloaded"),
}


def refuse(status: int) -> NoReturn:
    """Answer with a status at once.

    Raises:
        ApiError: always.
    """
    message, code = _MESSAGES[status]
    raise ApiError(status, message, code, headers={"retry-after": "1"} if status in (429, 503) else None)


async def fail(error: int | str | None, reply: Reply) -> bool:
    """Fail as told: a status, silence, or a cut. False when there is nothing to fail with.

    Raises:
        ApiError: for a status.
    """
    if error is None:
        return False
    if isinstance(error, int):
        refuse(error)
    if error == "timeout":
        await asyncio.sleep(SILENCE_S)
    reply.cut()
    return True


async def pause(seconds: float) -> None:
    """Wait in real time; not at all for zero."""
    if seconds > 0:
        await asyncio.sleep(seconds)
