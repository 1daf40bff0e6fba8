"""What processes cost: CPU time of a process with all its children, and how busy the machine was with other things."""

import time
from collections.abc import Iterable
from types import TracebackType
from typing import Self

import psutil


def cpu_seconds(roots: Iterable[int]) -> float:
    """User and system time of these processes, their descendants, and the children they have waited for."""
    total = 0.0
    for root in roots:
        try:
            process = psutil.Process(root)
            family = [process, *process.children(recursive=True)]
        except psutil.NoSuchProcess:
            continue
        for member in family:
            try:
                times = member.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += times.user + times.system + times.children_user + times.children_system
    return total


class Cost:
    """CPU of named groups of processes while the block runs.

    A group named ``all`` holds the others and more: ``rest`` is what of it is in no other. ``others`` is how many cores
    were kept busy by anyone else on this machine.
    """

    def __init__(self, **groups: list[int]) -> None:
        self._groups = groups
        self.seconds: dict[str, float] = {}
        self.wall_s = 0.0
        self.others = 0.0

    def __enter__(self) -> Self:
        self._began = time.perf_counter()
        self._machine = _busy()
        self._before = {name: cpu_seconds(roots) for name, roots in self._groups.items()}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wall_s = time.perf_counter() - self._began
        self.seconds = {name: cpu_seconds(roots) - self._before[name] for name, roots in self._groups.items()}
        named = sum(seconds for name, seconds in self.seconds.items() if name != "all")
        ours = self.seconds.pop("all", named)
        if ours != named:
            self.seconds["rest"] = max(0.0, ours - named)
        self.others = max(0.0, _busy() - self._machine - ours) / self.wall_s


def _busy() -> float:
    times = psutil.cpu_times()
    return sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq", "steal"))


def wait_until_quiet(*, busy_cores: float = 0.4, patience_s: float = 20) -> bool:
    """Wait for two quiet seconds in a row, so that one measurement does not pay for another's end."""
    quiet = 0
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        before, began = _busy(), time.perf_counter()
        time.sleep(1)
        quiet = quiet + 1 if (_busy() - before) / (time.perf_counter() - began) < busy_cores else 0
        if quiet == 2:
            return True
    return False
