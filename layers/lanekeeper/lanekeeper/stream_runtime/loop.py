"""The loop of one sandbox: load the handler, then one event after another."""

import importlib
import json
import os
import sys
from collections.abc import Mapping, MutableMapping

from lanekeeper.stream_runtime.context import Context
from lanekeeper.stream_runtime.invocation import Handler, Invocation
from lanekeeper.stream_runtime.logs import describe
from lanekeeper.stream_runtime.runtime_api import RuntimeApi


async def serve(environment: MutableMapping[str, str]) -> None:
    """Serve the handler named by ``_HANDLER`` for as long as Lambda has events.

    Raises:
        RuntimeApiError: Lambda wants no more of this sandbox.
        Exception: whatever the handler's module raised; Lambda has been told of it.
    """
    api = RuntimeApi(environment["AWS_LAMBDA_RUNTIME_API"])
    try:
        handler = load(environment)
    except Exception as error:
        await api.fail_start(describe(error))
        raise
    while True:
        event = await api.next_event()
        if trace := event.headers.get("lambda-runtime-trace-id"):
            environment["_X_AMZN_TRACE_ID"] = trace
        await Invocation(api, Context(event.headers, environment)).run(handler, json.loads(event.body))


def load(environment: Mapping[str, str]) -> Handler:
    """The Mangum object that ``_HANDLER`` (``module.attribute``) names, from the function's own folder."""
    root = environment.get("LAMBDA_TASK_ROOT", os.curdir)
    if root not in sys.path:
        sys.path.insert(0, root)
    module, _, attribute = environment["_HANDLER"].rpartition(".")
    handler: Handler = getattr(importlib.import_module(module.replace("/", ".")), attribute)
    return handler
