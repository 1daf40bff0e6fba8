"""The parts of a report in Markdown."""

from collections.abc import Iterable, Sequence

from tests.devkit.bench.figures import Figures


def section(title: str, text: str = "") -> Iterable[str]:
    """A heading and what it is about."""
    yield ""
    yield f"## {title}"
    yield ""
    if text:
        yield text
        yield ""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterable[str]:
    """A table."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""


def spread(figures: Figures) -> str:
    """Median, p95 and p99."""
    return f"{figures['p50']} / {figures['p95']} / {figures['p99']}"
