"""Makes new sandboxes of one function cheap: its modules are imported once, each sandbox is a fork.

``python -m tests.devkit.fork_server`` reads orders from standard input, one JSON line each, and reports on
standard output: ``{"id", "environment"}`` is answered by ``{"id", "pid"}``, and each end by ``{"pid", "status"}``
(as ``os.waitpid`` gives it). It ends, and its sandboxes with it, when its input does.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import traceback
from typing import Any

from tests.devkit import inside
from tests.devkit.processes import die_with_parent

# What a function's handler module will import anyway. The handler itself is left to the fork: what it opens
# must not be shared.
_RUNTIME = ("asyncio", "http.client", "logging", "simplejson", "snapshot_restore_py", "urllib.parse")


def main() -> None:
    """Serve until standard input ends."""
    inside.move_clock()
    for name in (*_RUNTIME, *filter(None, os.environ.get("DEVKIT_IMPORTS", "").split(","))):
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001 - the fork will fail in the same way and say so to the Runtime API
            traceback.print_exc()
    # A child's end must wake the select below.
    waker, wakened = os.pipe()
    os.set_blocking(wakened, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakened, warn_on_full_buffer=False)
    _serve(waker, wakened)


def _serve(waker: int, wakened: int) -> None:
    children: set[int] = set()
    pending = b""
    while True:
        ready, _, _ = select.select([0, waker], [], [])
        if waker in ready:
            os.read(waker, 4096)
            _bury(children)
        if 0 in ready:
            received = os.read(0, 65536)
            if not received:
                _end(children)
                return
            *lines, pending = (pending + received).split(b"\n")
            for line in lines:
                order = json.loads(line)
                children.add(_fork(order, (waker, wakened)))


def _fork(order: dict[str, Any], pipe: tuple[int, int]) -> int:
    sys.stdout.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        _say({"id": order["id"], "pid": pid})
        return pid
    status = 1
    try:
        die_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in pipe:
            os.close(descriptor)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)  # what a function prints goes to its log; standard output speaks to the dev kit
        os.close(nothing)
        os.environ.update(order["environment"])
        inside.run()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever ends a sandbox ends only that sandbox
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(status)


def _bury(children: set[int]) -> None:
    for pid in list(children):
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone:
            children.discard(pid)
            _say({"pid": pid, "status": status})


def _end(children: set[int]) -> None:
    for pid in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _say(report: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
