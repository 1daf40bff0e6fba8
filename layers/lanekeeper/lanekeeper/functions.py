"""Starting another Lambda function without waiting for what it does."""

import asyncio
import http.client
import json
import logging
from urllib.parse import quote, urlsplit

from lanekeeper import clock
from lanekeeper.signature import Signer
from lanekeeper.types import Json

logger = logging.getLogger(__name__)

# Lambda's API closes a connection that says nothing for longer, and a frozen process does not hear of it.
KEPT_S = 20


class Functions:
    """The Lambda API's asynchronous invoke, over one kept connection.

    A function that is started twice must not mind: a request whose answer was lost is sent once more.

    Args:
        endpoint: the Lambda API's address.
        region: for the signature.
        timeout_s: how long the network may be silent.
    """

    def __init__(self, endpoint: str, region: str, timeout_s: float) -> None:
        self._signer = Signer("lambda", region)
        self._endpoint = endpoint.rstrip("/")
        self._timeout_s = timeout_s
        self._kept: tuple[http.client.HTTPConnection, float] | None = None

    def start(self, function: str, payload: bytes) -> None:
        """Have a function, by name or ARN, started with a JSON payload. Blocks until Lambda has taken the event.

        Raises:
            OSError: Lambda has not taken it, or the answer was lost.
        """
        if not self.start_on_kept(function, payload):
            self._send(self._connect(), *self._request(function, payload))

    def start_on_kept(self, function: str, payload: bytes) -> bool:
        """The same on the kept connection, with no name to resolve and nothing to dial; False when there is none.

        Raises:
            OSError: Lambda has not taken it, or the answer was lost.
        """
        kept, self._kept = self._kept, None
        if kept is None or clock.monotonic() - kept[1] >= KEPT_S:
            return False
        try:
            self._send(kept[0], *self._request(function, payload))
        except ConnectionError:
            return False  # The other end has closed it meanwhile.
        return True

    def _request(self, function: str, payload: bytes) -> tuple[str, bytes, dict[str, str]]:
        path = f"/2015-03-31/functions/{quote(function, safe='')}/invocations"
        headers = {"Content-Type": "application/json", "X-Amz-Invocation-Type": "Event"}
        return path, payload, self._signer.headers("POST", self._endpoint + path, headers, payload)

    def _connect(self) -> http.client.HTTPConnection:
        address = urlsplit(self._endpoint)
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        return kind(address.netloc, timeout=self._timeout_s)

    def _send(self, connection: http.client.HTTPConnection, path: str, payload: bytes, headers: dict[str, str]) -> None:
        try:
            connection.request("POST", path, payload, headers)
            response = connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise error if isinstance(error, OSError) else OSError(type(error).__name__) from error
        self._kept = (connection, clock.monotonic())
        if response.status >= 300:
            raise OSError(f"Lambda answered {response.status}")


class Waker:
    """Starts one function with a hint of what there is to do. The rows are the truth, and the tick finds whatever a
    lost wake was about. So a failure is logged and nobody is told.

    Args:
        functions: the Lambda API.
        function: the function's name or ARN.
        timeout_s: how long whoever wakes it may be kept waiting.
    """

    def __init__(self, functions: Functions, function: str, timeout_s: float) -> None:
        self._functions = functions
        self._function = function
        self._timeout_s = timeout_s

    async def wake(self, hint: Json) -> None:
        """Have the function look. Never fails."""
        payload = json.dumps(hint).encode()
        try:
            # The process has only this to do, so it may as well wait here: its socket is no more patient.
            # But dialling may hang where there is no socket yet, in the resolving of a name: a thread does that.
            if not self._functions.start_on_kept(self._function, payload):
                async with asyncio.timeout(self._timeout_s):
                    await asyncio.to_thread(self._functions.start, self._function, payload)
        except (OSError, KeyError, ValueError) as error:
            logger.error("%s could not be woken: %s", self._function, type(error).__name__)
