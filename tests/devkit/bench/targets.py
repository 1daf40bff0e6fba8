"""What the numbers must come to, and in plain words why one of them does not."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.devkit.bench.figures import Figures, short

# Measured once on a machine of two cores; used where Aegra cannot be had. Milliseconds, by people at once.
AEGRA_THEN = {"1": 14.7, "8": 95.0, "32": 221.0}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target: what was asked, what was seen, whether that is enough, and why not."""

    target: str
    seen: str
    met: bool
    why: str = ""


def verdicts(taken: Figures) -> Iterator[Verdict]:
    """All targets that what was measured allows to judge."""
    if "turns" in taken:
        yield from _acknowledged(taken["turns"])
        yield from _first_word(taken["turns"]["1"])
        yield from _throughput(taken["turns"]["32"])
    if "history" in taken:
        yield from _written(taken["history"])
    if "claims" in taken:
        yield from _claims(taken["claims"])
    if "relay" in taken:
        yield from _relay(taken["relay"])
    if "cache" in taken:
        yield from _cached(taken["cache"])
    if "compaction" in taken:
        yield from _unnoticed(taken["compaction"])
    if "month" in taken:
        yield from _month(taken["month"])


def _acknowledged(turns: Figures) -> Iterator[Verdict]:
    for people, rivals in turns.items():
        ours = rivals["lanekeeper"]["acknowledged_ms"]["p50"]
        measured = "aegra" in rivals
        theirs = rivals["aegra"]["acknowledged_ms"]["p50"] if measured else AEGRA_THEN[people]
        yield Verdict(
            f"acknowledgement of {people}: at most half of Aegra's",
            f"{ours} ms, Aegra {theirs} ms{'' if measured else ' (measured elsewhere)'}: {ratio(ours, theirs)}",
            ours <= theirs / 2,
            "the acknowledgement comes after the commit, so the wait for the disk and the wake of a worker are in it; "
            f"the functions and their stand-ins spend {_spent(rivals['lanekeeper'])}",
        )


def _first_word(rivals: Figures) -> Iterator[Verdict]:
    if "floor" not in rivals:
        return
    ours, floor = (rivals[name]["first_word_ms"]["p50"] for name in ("lanekeeper", "floor"))
    acknowledged = rivals["lanekeeper"]["acknowledged_ms"]["p50"]
    yield Verdict(
        "accept to first word, 1 person: at most twice the floor",
        f"{ours} ms, floor {floor} ms: {ratio(ours, floor)}",
        ours <= 2 * floor,
        f"of {ours} ms the acknowledgement takes {acknowledged}; the rest is the way through the rows: a process is "
        "woken, claims the lane, asks the model and writes the words, and another one reads them. The floor calls the "
        "model from the request itself and forgets it when it dies",
    )


def _throughput(rivals: Figures) -> Iterator[Verdict]:
    if "floor" not in rivals:
        return
    ours, floor = (rivals[name]["turns_per_s"] for name in ("lanekeeper", "floor"))
    yield Verdict(
        "turns a second, 32 people: at least the floor's",
        f"{ours} a second, floor {floor}: {ratio(ours, floor)}",
        ours >= floor,
        f"a turn costs {_spent(rivals['lanekeeper'])}; the floor's {_spent(rivals['floor'])}. With all cores busy "
        "turns a second follow from that: each turn here passes through three functions and the stand-ins for API "
        "Gateway and Lambda, which on AWS are somebody else's processors; the worker asks the gateway twice, for its "
        "verdicts and for the answer; and nothing of it is kept in memory alone",
    )


def _written(history: Figures) -> Iterator[Verdict]:
    ours = {length: row["lanekeeper"] for length, row in history.items()}
    waits = max(row["waits_for_disk"] for row in ours.values())
    yield Verdict("waits for the disk of one message: at most 10", f"{waits}", waits <= 10)
    if "stock" in history.get("100", {}):
        mine, stock = ours["100"]["wal_bytes"], history["100"]["stock"]["wal_bytes"]
        yield Verdict(
            "WAL of a turn after 100 messages: at most a tenth of the stock saver's",
            f"{mine / 1e3:.1f} kB, stock saver {stock / 1e3:.1f} kB: {ratio(mine, stock)}",
            mine <= stock / 10,
            "ours is all that a turn writes, not the model's memory alone: " + _largest(ours["100"]),
        )
    lengths = sorted(ours, key=int)
    first, last = ours[lengths[0]]["wal_bytes"], ours[lengths[-1]]["wal_bytes"]
    yield Verdict(
        f"WAL of a turn from {lengths[0]} to {lengths[-1]} messages: grows at most 1.5 times",
        f"{first / 1e3:.1f} kB to {last / 1e3:.1f} kB: {ratio(last, first)}",
        last <= 1.5 * first,
        "the largest parts after the longer past: " + _largest(ours[lengths[-1]]),
    )


def _claims(claims: Figures) -> Iterator[Verdict]:
    ours = claims["lanekeeper"]
    if "procrastinate" in claims:
        # One message each, so that a claim is a message in every queue. Where several wait, the lane takes them all at
        # once: that is messages a second, stands in the table, and is judged by no target.
        mine, theirs = (claims[name]["one_each"]["4"]["per_s"] for name in ("lanekeeper", "procrastinate"))
        yield Verdict(
            "ordered claims, 4 workers: at least 3 times procrastinate's",
            f"{mine} a second, procrastinate {theirs}: {ratio(mine, theirs)}",
            mine >= 3 * theirs,
            "a claim here is a transaction with a lane row, an advisory lock on a second connection and a read under "
            "row-level security, and its end another with the fence: six round trips, and all workers of the harness "
            "share one Python process, whose core is the limit. Where ten messages wait, the lane takes them in one "
            f"claim: {ours['ten_each']['per_s']} messages a second, procrastinate "
            f"{claims['procrastinate']['ten_each']['per_s']}",
        )
    wait = ours["flood"]["wait_ms"]["p99"]
    yield Verdict(
        "p99 of the others behind a flood: at most 50 ms",
        f"{wait} ms",
        wait <= 50,
        "all workers were busy with the flood when a message came",
    )
    faults = ours["flood"]["overlaps"] + ours["flood"]["disorder"]
    yield Verdict("overlaps and disorder in the flood: none", f"{faults}", faults == 0)


def _relay(runs: list[Figures]) -> Iterator[Verdict]:
    for run in runs:
        if run["streams"] == 20 and run["way"] == "notify":
            most = run["batch_ms"] / 2 + 5
            yield Verdict(
                "relay of 20 streams by NOTIFY, median: at most half a batch and 5 ms",
                f"{run['token_ms']['p50']} ms of {most:g}",
                run["token_ms"]["p50"] <= most,
                f"{run['chunk_ms']['p50']} ms of it pass between the writing of the row and its arrival",
            )
        if run["streams"] == 100:
            lost = run["lost_tokens"] + run["lost_chunks"]
            whole = run["complete_streams"]
            yield Verdict(
                f"100 streams by {run['way']}: nothing lost",
                f"{lost} lost, {whole} streams whole",
                lost == 0 and whole == 100,
            )


def _cached(cache: Figures) -> Iterator[Verdict]:
    ours, window = (cache["ways"][name] for name in ("lanekeeper", "trim_messages"))
    yield Verdict(
        f"cached share of the input after the first of {cache['turns']} turns: at least 95 %",
        f"{ours['cached_share']:.1%}, trim_messages {window['cached_share']:.1%}",
        ours["cached_share"] >= 0.95,
        f"{cache['hard_requests']} of {cache['requests']} requests went to the large model, whose cache had not seen "
        "what the small one had answered",
    )


def _unnoticed(compaction: Figures) -> Iterator[Verdict]:
    yield Verdict(
        "a turn while a summary is made: within 10 % of one while none is",
        f"{compaction['ratio']} times, median of {len(compaction['rounds'])} rounds",
        compaction["ratio"] <= 1.1,
        "both share the machine with the function that summarises",
    )
    long = compaction["long"]
    named = {"prompt_tokens": "the largest request", "thread_bytes": "the thread", "turn_ms": "the median turn"}
    for name, what in named.items():
        growth = long[f"{name}_growth"]
        yield Verdict(
            f"{what} in the last half of {long['turns']} turns: within 10 % of before",
            f"{growth} times",
            growth <= 1.1,
            "nothing should grow once a conversation is summarised again and again",
        )
    slowest = max(stretch["slowest_ms"] for stretch in long["stretches"])
    yield Verdict(
        f"the slowest of {long['turns']} turns: none waits for the minute's tick",
        f"{slowest} ms",
        slowest < 10_000,
        "a wake was lost",
    )


def _month(month: Figures) -> Iterator[Verdict]:
    ways = dict(month["ways"])
    ours = ways.pop("lanekeeper")
    prices = {name: way["dollars"] for name, way in ways.items()}
    apart = sum(one["dollars"] for name, one in ours["features"].items() if name not in ("chat", "summary"))
    yield Verdict(
        "a month of one person: the cheapest of the four",
        f"{ours['dollars']} dollars, {', '.join(f'{name} {price}' for name, price in prices.items())}",
        ours["dollars"] <= min(prices.values()),
        f"{short(apart)} dollars of it are for what the others do not do at all, verdicts on each message and notes; "
        f"answers and summaries cost {short(ours['dollars'] - apart)}",
    )
    missing = {name: way["lost"] + way["outdated"] for name, way in ways.items()}
    yield Verdict(
        "facts lost or outdated when asked for: the fewest of the four",
        f"{ours['lost'] + ours['outdated']}, {', '.join(f'{name} {count}' for name, count in missing.items())}",
        ours["lost"] + ours["outdated"] <= min(missing.values()),
        f"not there: {' '.join(ours['not_kept'])}",
    )
    yield Verdict(
        "forgotten facts in a later request: none",
        f"{ours['sent_again']} of {ours['forgotten']}",
        ours["sent_again"] == 0,
        f"there: {' '.join(ours['again'])}",
    )
    yield Verdict(
        "messages that had to wait for a summary: none",
        f"{ours['had_to_wait']}",
        ours["had_to_wait"] == 0,
        "the conversation passed its ceiling",
    )


def _spent(rival: Figures) -> str:
    parts = rival["cpu_ms_per_turn"]
    return f"{short(sum(parts.values()))} ms of CPU ({', '.join(f'{name} {ms}' for name, ms in parts.items())})"


def _largest(row: Figures) -> str:
    parts = row.get("wal_by_table", {})
    most = sorted(parts.items(), key=lambda part: -part[1])[:5]
    return ", ".join(f"{table} {size / 1e3:.1f} kB" for table, size in most)


def ratio(ours: float, theirs: float) -> str:
    """How much of theirs ours is."""
    return f"{short(ours / theirs)} times" if theirs else "-"
