"""Directories that are thrown away: at the end, or by the next start when there was no end."""

import contextlib
import tempfile
from pathlib import Path
from shutil import rmtree
from typing import IO

PREFIX = "lanekeeper-scratch-"
_MARK = "in-use"

_held: dict[Path, IO[str]] = {}


def make() -> Path:
    """A new directory. What processes that were killed have left is removed first."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if (left / _MARK).exists() and _lock(left) is not None:
                remove(left)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX))
    # Held before it can be seen, so that nobody sweeps it in between.
    new = directory / f"{_MARK}.new"
    new.touch()
    _lock(directory, new.name)
    new.rename(directory / _MARK)
    return directory


def remove(directory: Path) -> None:
    """Remove it."""
    rmtree(directory, ignore_errors=True)
    held = _held.pop(directory, None)
    if held is not None:
        held.close()


def _lock(directory: Path, name: str = _MARK) -> IO[str] | None:
    """Hold a directory for as long as this process lives; None when another one does."""
    try:
        import fcntl
    except ImportError:  # Windows: nothing is swept there
        return None
    file = (directory / name).open("r+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    _held[directory] = file
    return file
