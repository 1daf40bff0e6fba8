"""From an API Gateway event to the app, and back."""

import asyncio
import json
from typing import Any

from mangum import Mangum

from lanekeeper.accept.edge import Edge
from lanekeeper.errors import Problem
from lanekeeper.log import logger
from lanekeeper.redact import place
from lanekeeper.types import Json

UNREADABLE = Problem(400, "unreadable", "The request cannot be read.", "Correct it and send it again.")


class Gateway:
    """Drives an ASGI app with API Gateway's events, one at a time, on one event loop that lives as long as the process.

    The app's lifespan is off: it would begin and end with every event.
    """

    def __init__(self, app: Edge) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self._mangum = Mangum(app, lifespan="off")

    def __call__(self, event: Json, context: Any) -> Json:
        """The answer to one event. Whatever the event holds, it is an answer of the contract's shape."""
        if "httpMethod" not in event or "requestContext" not in event:
            logger.warning("not a request")
            return {}
        asyncio.set_event_loop(self.loop)
        try:
            return self._mangum(event, context)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            # Mangum could not make a request of it: a body that is no base64, a host with two ports, a lone surrogate.
            logger.warning("an event cannot be read", extra={"at": place(error)})
            return {
                "statusCode": UNREADABLE.status,
                "headers": {"content-type": "application/json", "cache-control": "no-store"},
                "body": json.dumps(UNREADABLE.body()),
                "isBase64Encoded": False,
            }
