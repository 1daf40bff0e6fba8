"""A runtime client in plain Python, for machines that the managed one has no wheel for."""

import importlib
import json
import os
import time
import traceback
from http.client import HTTPConnection
from typing import Any

_API = "/2018-06-01/runtime"


class Context:
    """What handlers read of Lambda's context."""

    client_context = identity = None

    def __init__(self, request_id: str, arn: str, deadline_ms: int) -> None:
        self.aws_request_id = request_id
        self.invoked_function_arn = arn
        self.function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = "$LATEST"
        self.memory_limit_in_mb = os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self.log_group_name = self.log_stream_name = self.function_name
        self._deadline_ms = deadline_ms

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the invocation is ended."""
        return max(0, self._deadline_ms - int(time.time() * 1000))


def main(handler_name: str) -> None:
    """Serve events one after another."""
    api = HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    module, _, attribute = handler_name.rpartition(".")
    try:
        handler = getattr(importlib.import_module(module), attribute)
    except BaseException as error:
        _post(api, f"{_API}/init/error", _describe(error))
        raise
    while True:
        api.request("GET", f"{_API}/invocation/next")
        event = api.getresponse()
        body = event.read()
        request_id = event.headers["Lambda-Runtime-Aws-Request-Id"]
        context = Context(
            request_id,
            event.headers["Lambda-Runtime-Invoked-Function-Arn"],
            int(event.headers["Lambda-Runtime-Deadline-Ms"]),
        )
        try:
            result = handler(json.loads(body), context)
        except Exception as error:  # noqa: BLE001 - whatever it was, Lambda is told and the next event is served
            traceback.print_exc()
            _post(api, f"{_API}/invocation/{request_id}/error", _describe(error))
        else:
            _post(api, f"{_API}/invocation/{request_id}/response", result)


def _describe(error: BaseException) -> dict[str, Any]:
    return {"errorType": type(error).__name__, "errorMessage": str(error), "stackTrace": []}


def _post(api: HTTPConnection, path: str, value: object) -> None:
    api.request("POST", path, json.dumps(value), {"Content-Type": "application/json"})
    api.getresponse().read()
