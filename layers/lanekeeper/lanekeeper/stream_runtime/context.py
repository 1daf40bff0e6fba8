"""What Lambda tells a function about the invocation it runs."""

import json
import os
import time
from collections.abc import Mapping
from typing import Any


class Context:
    """The context object that handlers, Mangum and Powertools read.

    Args:
        headers: those of the Runtime API's event, names in lower case.
    """

    identity = None

    def __init__(self, headers: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> None:
        self.aws_request_id = headers["lambda-runtime-aws-request-id"]
        self.invoked_function_arn = headers.get("lambda-runtime-invoked-function-arn", "")
        self.client_context: Any = json.loads(headers.get("lambda-runtime-client-context") or "null")
        self.function_name = environment.get("AWS_LAMBDA_FUNCTION_NAME", "")
        self.function_version = environment.get("AWS_LAMBDA_FUNCTION_VERSION", "")
        self.memory_limit_in_mb = int(environment.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "0"))
        self.log_group_name = environment.get("AWS_LAMBDA_LOG_GROUP_NAME", "")
        self.log_stream_name = environment.get("AWS_LAMBDA_LOG_STREAM_NAME", "")
        # Lambda counts in its own wall time, which is not the product's clock.
        self._deadline_s = int(headers["lambda-runtime-deadline-ms"]) / 1000

    @property
    def deadline(self) -> float:
        """When Lambda ends the invocation, in seconds of the event loop's clock (``time.monotonic``)."""
        return time.monotonic() + self._deadline_s - time.time()

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda ends the invocation, never below zero."""
        return max(0, round((self._deadline_s - time.time()) * 1000))
