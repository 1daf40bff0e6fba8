"""docs/bench.md: what was measured, in tables, and each target with its verdict."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.devkit.bench import cache, compaction, month
from tests.devkit.bench.figures import Figures
from tests.devkit.bench.tables import section, spread, table
from tests.devkit.bench.targets import verdicts

RIVALS = ("lanekeeper", "floor", "aegra")


def write(path: Path, taken: Figures, said: Sequence[str], command: str) -> None:
    """Write the report."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines(taken, said, command)) + "\n", encoding="utf-8")


def lines(taken: Figures, said: Sequence[str], command: str) -> Iterable[str]:
    """The report, line by line."""
    yield "# What was measured"
    yield ""
    yield f"Written by `{command}` on {datetime.now(UTC):%d %B %Y}; every number below is from that run. {HOW}"
    yield ""
    yield from table(("machine", ""), taken["machine"].items())
    for name, packages in taken["versions"].items():
        yield f"- {name}: {', '.join(f'{package} {number}' for package, number in packages.items())}"
    for line in said:
        yield f"- {line}"
    yield from _targets(taken)
    if "turns" in taken:
        yield from _turns(taken)
    if "history" in taken:
        yield from _history(taken["history"])
    if "claims" in taken:
        yield from _claims(taken["claims"])
    if "relay" in taken:
        yield from _relay(taken["relay"])
    if "cache" in taken:
        yield from cache.told(taken["cache"])
    if "compaction" in taken:
        yield from compaction.told(taken["compaction"])
    if "month" in taken:
        yield from month.told(taken["month"])
    if "imports" in taken:
        yield from _imports(taken["imports"])


HOW = (
    "All servers shared one machine, one Postgres that waits for the disk, and one model that answers at once with 100 "
    "words. A row is the median of its rounds, number by number; `busy` is how many cores were kept busy by anything "
    "else meanwhile. The floor is the same graph and model client on FastAPI, LangGraph and AsyncPostgresSaver in one "
    "process: no queue, no order of messages, nothing that survives a crash."
)


def _targets(taken: Figures) -> Iterable[str]:
    yield from section("Targets")
    judged = list(verdicts(taken))
    yield from table(("target", "seen", ""), ((one.target, one.seen, "met" if one.met else "missed") for one in judged))
    for one in judged:
        if not one.met and one.why:
            yield f"- Missed: {one.target}. {one.why[0].upper()}{one.why[1:]}."


def _turns(taken: Figures) -> Iterable[str]:
    yield from section("Turns", "A model of zero delay: pure overhead. Milliseconds, p50 / p95 / p99.")
    rows = []
    for people, rivals in taken["turns"].items():
        for name in RIVALS:
            if figures := rivals.get(name):
                parts = figures["cpu_ms_per_turn"]
                rows.append(
                    (
                        people,
                        name,
                        spread(figures["acknowledged_ms"]),
                        spread(figures["first_word_ms"]),
                        spread(figures["ended_ms"]),
                        figures["turns_per_s"],
                        f"{sum(parts.values()):.1f}",
                        ", ".join(f"{part} {ms}" for part, ms in parts.items()),
                        figures["others_cores"],
                    )
                )
    yield from table(
        ("people", "", "acknowledged", "first word", "ended", "turns/s", "CPU ms a turn", "of it", "busy"), rows
    )
    yield "`rest` are the dev kit's stand-ins for API Gateway and Lambda, which on AWS run elsewhere."
    yield from section("Pace", "A word every 20 ms: how much later than that each word came, in milliseconds.")
    yield from table(
        ("people", "", "late p50 / p95 / p99", "first word", "CPU ms a turn"),
        (
            (
                people,
                name,
                spread(figures["word_late_ms"]),
                spread(figures["first_word_ms"]),
                f"{sum(figures['cpu_ms_per_turn'].values()):.0f}",
            )
            for people, rivals in taken["pace"].items()
            for name, figures in rivals.items()
        ),
    )


def _history(history: Figures) -> Iterable[str]:
    yield from section(
        "What a turn writes",
        "A message of 300 bytes, an answer of 500, after so many messages. Ours is everything a turn writes: inbox, "
        "lane, turn, transcript, chunks, outbox, cost and the model's memory. The savers' is the graph's state alone.",
    )
    yield from table(
        ("messages before", "", "WAL bytes", "rows", "waits for the disk", "turn ms"),
        (
            (
                length,
                name,
                f"{figures['wal_bytes']:,.0f}",
                figures["rows"],
                figures.get("waits_for_disk", "-"),
                figures["turn_ms"],
            )
            for length, rivals in history.items()
            for name, figures in rivals.items()
        ),
    )
    parts = [(length, row["lanekeeper"].get("wal_by_table", {})) for length, row in history.items()]
    names = sorted({name for _, sizes in parts for name in sizes}, key=lambda name: -parts[-1][1].get(name, 0))
    yield "WAL of a turn of ours by table with its indexes, whole page images left out, in bytes:"
    yield from table(
        ("table", *(f"after {length}" for length, _ in parts)),
        ((name, *(f"{sizes.get(name, 0):,.0f}" for _, sizes in parts)) for name in names),
    )


def _claims(claims: Figures) -> Iterable[str]:
    yield from section(
        "Ordered claims",
        "Messages a second, kept in order for each person, each queue with its workers in one process and fresh table "
        "statistics. With one message a person that is claims a second; of ten that wait Lanekeeper takes all in one "
        "claim, the others one by one. In the flood "
        "one person has 3,000 messages of 20 ms waiting, four workers; the others' wait is in milliseconds.",
    )
    yield from table(
        (
            "queue",
            "1 worker",
            "4 workers",
            "16 workers",
            "ten messages a person, 4 workers",
            "others' wait p50 / p95 / p99",
            "overlaps, disorder",
        ),
        (
            (
                name,
                *(figures["one_each"][workers]["per_s"] for workers in ("1", "4", "16")),
                figures["ten_each"]["per_s"],
                spread(figures["flood"]["wait_ms"]),
                f"{figures['flood']['overlaps']}, {figures['flood']['disorder']}",
            )
            for name, figures in claims.items()
        ),
    )


def _relay(runs: list[Figures]) -> Iterable[str]:
    yield from section(
        "Relay",
        "A token every 20 ms in each stream, from its birth in the worker to the client; a batch is "
        f"{runs[0]['batch_ms']:g} ms. Milliseconds, p50 / p95 / p99.",
    )
    yield from table(
        ("streams", "way", "token", "of it after the row was written", "lost", "whole", "CPU ms per 1,000 tokens"),
        (
            (
                run["streams"],
                run["way"] if run["way"] == "notify" else f"poll each {run['poll_ms']:g} ms",
                spread(run["token_ms"]),
                spread(run["chunk_ms"]),
                run["lost_tokens"],
                run["complete_streams"],
                ", ".join(f"{name} {ms}" for name, ms in run["cpu_ms_per_1000_tokens"].items()),
            )
            for run in runs
        ),
    )


def _imports(imports: Figures) -> Iterable[str]:
    yield from section("Cold import", "In a fresh process, bytecode compiled, files in the page cache; medians.")
    yield from table(
        ("function", "CPU ms", "wall ms", "modules", "MB", "heavy libraries"),
        (
            (name, row["cpu_ms"], row["wall_ms"], row["modules"], row["mb"], ", ".join(row["heavy"]) or "none")
            for name, row in imports.items()
        ),
    )
