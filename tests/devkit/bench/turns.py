"""Whole turns over HTTP: how fast they are acknowledged, begun, written out and ended, and what they cost."""

import asyncio
from collections.abc import Callable, Sequence

from tests.devkit.bench.figures import Figures, Spread, short
from tests.devkit.bench.processes import Cost
from tests.devkit.bench.rivals import Rival, Timing
from tests.devkit.system import System

WORDS = 100
# Turns of each person, by how many people write at once.
TURNS = {1: 20, 8: 8, 32: 4}


async def load(
    system: System,
    rival: Rival,
    people: int,
    *,
    delay_ms: float,
    turns: int,
    families: Callable[[], dict[str, list[int]]],
) -> Figures:
    """So many people, each sending the next message when the last reply has ended.

    ``delay_ms``: between two words of the model. ``families``: whose CPU time is told apart, by process ids.
    """
    reply = {"text": " ".join(["word"] * WORDS), "token_delay_ms": delay_ms}
    visitors = [await rival.visitor() for _ in range(people)]
    # One turn each beforehand: processes, connections and caches are warm, as they are on a busy day.
    await system.model(*[reply] * (people * (turns + 1)))
    await asyncio.gather(*(visitor.turn("hello") for visitor in visitors))
    timings: list[Timing] = []

    async def talk(number: int) -> None:
        timings.extend([await visitors[number].turn(f"message {turn}") for turn in range(turns)])

    with Cost(**families()) as cost:
        await asyncio.gather(*(talk(number) for number in range(people)))
    for visitor in visitors:
        visitor.leave()
    await system.model()
    return summed(timings, cost, delay_ms)


def summed(timings: Sequence[Timing], cost: Cost, delay_ms: float) -> Figures:
    """What the turns of one load come to, in milliseconds."""
    whole = [timing for timing in timings if sum(count for _, count in timing.words) == WORDS]
    figures: Figures = {
        "turns": len(timings),
        "whole": len(whole),
        "turns_per_s": short(len(timings) / cost.wall_s),
        "acknowledged_ms": Spread.of([timing.acknowledged for timing in timings], 1e3).figures(),
        "first_word_ms": Spread.of([timing.first_word for timing in timings], 1e3).figures(),
        "ended_ms": Spread.of([timing.ended for timing in timings], 1e3).figures(),
        "cpu_ms_per_turn": {name: short(spent / len(timings) * 1e3) for name, spent in cost.seconds.items()},
        "others_cores": short(cost.others),
    }
    if delay_ms:
        figures["word_late_ms"] = Spread.of(
            [late for timing in whole for late in lateness(timing, delay_ms)], 1e3
        ).figures()
    return figures


def lateness(timing: Timing, delay_ms: float) -> list[float]:
    """How much later each word came than the model's pace allows, counted from the first word, in seconds."""
    late, spoken = [], 0
    start = timing.words[0][0]
    for at, count in timing.words:
        for _ in range(count):
            late.append(at - start - spoken * delay_ms / 1e3)
            spoken += 1
    return late
