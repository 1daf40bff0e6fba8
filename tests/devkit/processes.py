"""Child processes that never outlive the dev kit."""

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
ON_LINUX = sys.platform == "linux"


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Ask Linux to send this signal when the parent goes, even on kill -9. Elsewhere nothing happens."""
    if ON_LINUX:
        ctypes.CDLL(None).prctl(1, number)


def spawn(
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int | None = None,
    on_death: int = signal.SIGKILL,
) -> subprocess.Popen[bytes]:
    """Start a child in a group of its own (Ctrl-C is for the parent), writing to ``log``.

    ``on_death``: the signal it gets when this process is gone.
    """
    with log.open("ab") as file:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=dict(environment),
            stdin=stdin,
            stdout=file if stdout is None else stdout,
            stderr=file,
            start_new_session=os.name == "posix",
            preexec_fn=partial(die_with_parent, on_death) if ON_LINUX else None,  # noqa: PLW1509 - one prctl call
        )


def signal_process(pid: int, number: int) -> None:
    """Send a signal to a child that may just have gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def stop(process: subprocess.Popen[bytes], *, patience_s: float = 3) -> None:
    """Ask a child to end, and end it when it does not."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


async def lines_of(pipe: IO[bytes]) -> AsyncGenerator[bytes, None]:
    """The lines that a child writes, as they come."""
    reader = asyncio.StreamReader()
    # A descriptor of its own: the loop must not hold one that somebody else closes.
    own = os.fdopen(os.dup(pipe.fileno()), "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), own)
    try:
        while line := await reader.readline():
            yield line
    finally:
        transport.close()
