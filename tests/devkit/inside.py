"""What the dev kit does inside a function's process: the clock is moved and kill points are put on, from outside.

The product knows none of it. In a forked sandbox ``run`` is called; in a fresh one ``site/sitecustomize.py``
calls ``prepare`` before the runtime starts.
"""

import importlib.util
import mmap
import os
import runpy
import struct
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path


def prepare() -> None:
    """Move the clock and put on the kill points."""
    move_clock()
    if os.environ.get("DEVKIT_ORDERS"):
        from tests.devkit import kill_points

        kill_points.put_on(os.environ["AWS_LAMBDA_FUNCTION_NAME"])


def move_clock() -> None:
    """Let ``lanekeeper.clock.now`` follow the offset in the file DEVKIT_CLOCK, in seconds as a double."""
    path = os.environ.get("DEVKIT_CLOCK")
    if not path:
        return
    from lanekeeper import clock

    with Path(path).open("rb") as file:
        offset = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)

    def now() -> datetime:
        """The present moment of the local system, which ``/dev/clock`` moves."""
        return datetime.now(UTC) + timedelta(seconds=struct.unpack_from("<d", offset)[0])

    clock.now = now


def run() -> None:
    """Be one sandbox: serve the Runtime API's events until the end."""
    prepare()
    root, handler = os.environ["LAMBDA_TASK_ROOT"], os.environ["_HANDLER"]
    os.chdir(root)
    if root not in sys.path:
        sys.path.insert(0, root)
    if os.environ.get("AWS_LAMBDA_EXEC_WRAPPER"):
        # The wrapper script puts this loop in the place of the managed client.
        runpy.run_module("lanekeeper.stream_runtime", run_name="__main__", alter_sys=True)
    elif importlib.util.find_spec("awslambdaric"):
        _run_managed_client(handler)
    else:
        from tests.devkit import plain_runtime

        plain_runtime.main(handler)


def _run_managed_client(handler: str) -> None:
    from awslambdaric import __main__, lambda_runtime_client

    client = lambda_runtime_client.runtime_client
    if client is not None:
        # Imported before the fork, when this sandbox had no address yet.
        client.initialize_client(lambda_runtime_client._user_agent())
    __main__.main(["bootstrap", handler])
