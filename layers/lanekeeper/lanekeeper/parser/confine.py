"""Takes from the running process whatever reading one file does not need."""

import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_OPEN_FILES = 32
# Events of the interpreter that have no place here. What begins like this never happens.
_FORBIDDEN = (
    "ctypes.",
    "ftplib.",
    "http.client.",
    "mmap.",
    "os.chmod",
    "os.chown",
    "os.exec",
    "os.fork",
    "os.kill",
    "os.link",
    "os.mkdir",
    "os.posix_spawn",
    "os.putenv",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.spawn",
    "os.symlink",
    "os.system",
    "os.truncate",
    "os.utime",
    "pty.",
    "shutil.",
    "signal.pthread_kill",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "syslog.",
    "urllib.",
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(memory_bytes: int, cpu_s: int) -> None:
    """From here on: no network where the system lets go of it, bounded memory and time, no new files or processes.

    A container may forbid its processes to leave the network, as Lambda's does. There the last line holds: the
    interpreter refuses to open a socket, to start a program, and to read or write any file but its own modules.
    It cannot be talked out of that by Python code, and nothing but Python and its own zlib and expat runs here.
    """
    os.environ.clear()
    _leave_the_network()
    for what, most in {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
    }.items():
        # A system that has less to give already, or does not know the limit, keeps its own.
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))
    sys.addaudithook(_guard())


def _leave_the_network() -> None:
    for spaces in (_NEW_USER | _NEW_NETWORK, _NEW_NETWORK):
        with suppress(OSError):
            _unshare(spaces)
            return


def _unshare(spaces: int) -> None:
    if sys.version_info >= (3, 12) and hasattr(os, "unshare"):
        os.unshare(spaces)
    elif sys.platform == "linux":
        import ctypes

        if ctypes.CDLL(None).unshare(spaces) != 0:
            raise OSError


def _guard() -> Callable[[str, tuple[object, ...]], None]:
    # Modules that are imported on the way are read from where the interpreter finds modules.
    homes = tuple(os.path.join(path, "") for path in {*sys.path, sys.prefix, sys.base_prefix} if path)  # noqa: PTH118

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(event)
        if event == "open":
            path, _, flags = arguments
            if not isinstance(path, str) or not path.startswith(homes) or (isinstance(flags, int) and flags & _WRITING):
                raise PermissionError(event)

    return refuse
