"""Orders to lose a process at a named point: given through ``/dev/kill``, carried out once each."""

import contextlib
from pathlib import Path

from tests.devkit.sandbox import How


class Orders:
    """Orders that wait. A file per point with an order tells the sandboxes that it is worth asking.

    Args:
        directory: where those files are; None when no sandbox asks.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self._waiting: dict[tuple[str, str], list[How]] = {}
        self._directory = directory

    def give(self, function: str, at: str, how: How) -> None:
        """The next process of the function that reaches the point is to be lost in this way."""
        self._waiting.setdefault((function, at), []).append(how)
        if self._directory is not None:
            (self._directory / f"{function}.{at}").touch()

    def take(self, function: str, at: str) -> How | None:
        """The order for this point, now carried out."""
        waiting = self._waiting.get((function, at))
        if not waiting:
            return None
        how = waiting.pop(0)
        if not waiting:
            self._forget(function, at)
        return how

    def waiting(self) -> list[tuple[str, str, How]]:
        """Orders that no process has come across yet."""
        return [(function, at, how) for (function, at), hows in self._waiting.items() for how in hows]

    def clear(self) -> None:
        """Take all orders back."""
        for function, at in list(self._waiting):
            self._forget(function, at)

    def _forget(self, function: str, at: str) -> None:
        del self._waiting[function, at]
        if self._directory is not None:
            with contextlib.suppress(FileNotFoundError):
                (self._directory / f"{function}.{at}").unlink()
