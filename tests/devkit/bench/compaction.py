"""Whether anybody notices compaction: turns while a summary is made beside turns while none is, and a long talk.

Two people with the same past take turns one after the other. One of them has the old part summarised meanwhile. Then
one person talks on for very long, with a budget that has the conversation summarised every few dozen turns.
"""

import asyncio
import contextlib
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.devkit.bench.figures import Figures, short
from tests.devkit.bench.history import ANSWERED, PAST, SAID
from tests.devkit.bench.rivals import OurVisitor
from tests.devkit.bench.scripts.words import words
from tests.devkit.bench.tables import section, table
from tests.devkit.bench.wire import Wire
from tests.devkit.system import System, someone

ROUNDS, PAIRS, PAST_MESSAGES = 5, 16, 80
SUMMARY_S = 0.6
TURNS, STRETCHES = 1_000, 10
SUMMARY = {"text": "The person said words, and was answered with words.", "delay_s": SUMMARY_S}
BUDGET_TOKENS = "9000"
DUE = """
insert into timers (kind, key, user_id, conversation_id, run_at)
select 'idle_compaction', c.id, c.user_id, c.id, lanekeeper.now() - interval '1 second' from conversations c
where c.user_id = %(sub)s
on conflict (kind, key) do update set run_at = excluded.run_at
"""
KEPT = """
select (select count(*) from thread_messages where user_id = %(sub)s) as rows,
       (select coalesce(sum(length(message::text)), 0) from thread_messages where user_id = %(sub)s)
       + (select coalesce(sum(length(body)), 0) from summaries where user_id = %(sub)s) as bytes
"""
ASKED = """
select input_tokens from costs where user_id = %(sub)s and feature = 'chat' order by id
"""
MADE = "select coalesce(sum(version), 0) as made from summaries where user_id = %(sub)s"


def measure(say: Callable[[str], None], *, quick: bool) -> Figures:
    """Both measures."""
    return asyncio.run(_measure(say, 2 if quick else ROUNDS, 200 if quick else TURNS))


async def _measure(say: Callable[[str], None], rounds: int, turns: int) -> Figures:
    async with System.launched(workers=2, zero_delay=True, direct_database=True, no_freeze=True) as system:
        beside = [await _round(system, say) for _ in range(rounds)]
    small = {"LIMIT_CONTEXT_BUDGET_TOKENS": BUDGET_TOKENS}
    async with System.launched(small, workers=2, zero_delay=True, direct_database=True, no_freeze=True) as system:
        long = await _long(system, turns, say)
    ratios = [one["with_ms"] / one["without_ms"] for one in beside]
    return {"rounds": beside, "ratio": short(statistics.median(ratios)), "long": long}


async def _round(system: System, say: Callable[[str], None]) -> Figures:
    """The median turn of each of two people, whose turns alternate."""
    async with _visitor(system, PAIRS + 2) as shortened, _visitor(system, PAIRS + 2) as left:
        for visitor in (shortened, left):
            await _age(system, visitor)
            await visitor.turn(words(SAID))
        await system.model(SUMMARY, sub=shortened.sub, feature="summary")
        await system.sql(DUE, {"sub": shortened.sub})
        tick = asyncio.create_task(system.tick())
        while not await system.requests(shortened.sub, "summary"):
            await asyncio.sleep(0.01)
        with_ms, without_ms = list[float](), list[float]()
        for number in range(PAIRS):
            pair = [(shortened, with_ms), (left, without_ms)]
            for visitor, times in pair if number % 2 else pair[::-1]:
                times.append((await visitor.turn(words(SAID))).ended * 1e3)
        await tick
        (made,) = await system.sql(MADE, {"sub": shortened.sub})
        assert made["made"] == 1, "no summary was published"
    figures = {"with_ms": short(statistics.median(with_ms)), "without_ms": short(statistics.median(without_ms))}
    say(f"  {figures}")
    return figures


async def _long(system: System, turns: int, say: Callable[[str], None]) -> Figures:
    """One person's turns in stretches: what was sent, what was kept, how long it took."""
    stretches: list[Figures] = []
    async with _visitor(system, turns) as visitor:
        size, sent = turns // STRETCHES, 0
        for _ in range(STRETCHES):
            times, kept = list[float](), list[Figures]()
            for number in range(size):
                times.append((await visitor.turn(words(SAID))).ended * 1e3)
                if number % 5 == 0:
                    kept += await system.sql(KEPT, {"sub": visitor.sub})
            asked = [row["input_tokens"] for row in await system.sql(ASKED, {"sub": visitor.sub})]
            (made,) = await system.sql(MADE, {"sub": visitor.sub})
            stretches.append(
                {
                    "prompt_tokens": max(asked[sent:]),
                    "thread_rows": max(row["rows"] for row in kept),
                    "thread_bytes": int(max(row["bytes"] for row in kept)),
                    "turn_ms": short(statistics.median(times)),
                    "slowest_ms": short(max(times)),
                    "summaries": int(made["made"]),
                }
            )
            sent = len(asked)
            say(f"  {stretches[-1]}")
    return {"turns": turns, "stretches": stretches, **_growth(stretches)}


def _growth(stretches: Sequence[Figures]) -> Figures:
    """How the last half compares with the stretches before it, the first left out: everything is cold in it."""
    early, late = stretches[1 : len(stretches) // 2], stretches[len(stretches) // 2 :]
    names = ("prompt_tokens", "thread_bytes", "turn_ms")
    return {
        f"{name}_growth": short(
            statistics.median(one[name] for one in late) / statistics.median(one[name] for one in early)
        )
        for name in names
    }


@contextlib.asynccontextmanager
async def _visitor(system: System, turns: int) -> Any:
    """Somebody whose model has so many answers ready."""
    sub = someone("visitor")
    await system.model(*[{"text": words(ANSWERED)}] * turns, sub=sub)
    visitor = OurVisitor(Wire(system.url), await system.token(sub), sub)
    try:
        yield visitor
    finally:
        visitor.leave()


async def _age(system: System, visitor: OurVisitor) -> None:
    """Give somebody a past."""
    await visitor.turn(words(SAID))
    (row,) = await system.sql("select id from conversations where user_id = %s", [visitor.sub])
    past = {"said": words(SAID), "answered": words(ANSWERED), "history": PAST_MESSAGES}
    await system.sql(PAST, {"conversation_id": row["id"], "user_id": visitor.sub, **past})


def told(compaction: Figures) -> Iterable[str]:
    """The figures as a section of the report."""
    yield from section(
        "Compaction",
        "Two people with the same past take turns one after the other; one of them has it summarised meanwhile, by a "
        f"model that takes {SUMMARY_S} s. Milliseconds of the median turn, round by round.",
    )
    yield from table(
        ("round", "while a summary is made", "while none is"),
        ((number, one["with_ms"], one["without_ms"]) for number, one in enumerate(compaction["rounds"], 1)),
    )
    long = compaction["long"]
    yield (
        f"One conversation of {long['turns']} turns, summarised whenever it passes 80 % of {BUDGET_TOKENS} tokens. The "
        "largest request and the largest thread of each stretch, its median turn, and its slowest one, which had to "
        "wait for a summary."
    )
    yield ""
    names = ("prompt_tokens", "thread_rows", "thread_bytes", "turn_ms", "slowest_ms", "summaries")
    size = long["turns"] // len(long["stretches"])
    yield from table(
        (
            "turns up to",
            "prompt, tokens",
            "thread, rows",
            "thread, bytes",
            "turn, ms",
            "slowest, ms",
            "summaries so far",
        ),
        ((number * size, *(one[name] for name in names)) for number, one in enumerate(long["stretches"], 1)),
    )
