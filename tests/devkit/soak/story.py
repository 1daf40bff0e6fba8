"""What happened in a few schedules, line by line, so that a failing one can be read."""

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Story:
    """Lines with the second in which they happened; ``unmet`` are orders to lose a machine that none came across."""

    seeds: list[int]
    began: float = field(default_factory=time.monotonic)
    lines: list[tuple[float, str]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)

    def tell(self, what: str) -> None:
        """Note what happened now."""
        self.lines.append((time.monotonic() - self.began, what))

    def text(self) -> str:
        """The whole story, and which promises were broken."""
        told = "\n".join(f"  {at:6.2f} s  {line}" for at, line in self.lines)
        broken = "".join(f"\n  BROKEN: {promise}" for promise in self.broken)
        return f"schedules {', '.join(map(str, self.seeds))}\n{told}{broken}"
