"""The outermost layer of the app: headers on every answer, one log line for each, and no exception past it."""

from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders

from lanekeeper import clock
from lanekeeper.log import logger

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]


class Edge:
    """Wraps an ASGI app."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        begun = clock.monotonic()
        status = 0

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        except Exception:
            # Answered and logged below. The framework raises it once more for servers that log by themselves.
            if not status:
                raise
        # The route as it is written, never the path: a path may hold anything.
        route = getattr(scope.get("route"), "path", None)
        took_ms = round((clock.monotonic() - begun) * 1000, 1)
        logger.info("request", extra={"method": scope.get("method"), "route": route, "status": status, "ms": took_ms})
