"""What a month of one person costs, and what is still known of it: the product beside three other ways."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from tests.devkit.bench.figures import Figures, short
from tests.devkit.bench.month_answers import Answers
from tests.devkit.bench.month_product import MODEL, live
from tests.devkit.bench.month_rivals import KEPT_MESSAGES, RIVALS, TRIGGER_TOKENS, Frame
from tests.devkit.bench.month_script import Month, facts, month
from tests.devkit.bench.tables import section, table
from tests.devkit.mainline.pricing import CAN_USE
from tests.devkit.system import System

SETTING = (
    "{days} days, {messages} messages in five sittings a day, all in one conversation, through the real functions "
    "on a clock that is moved: ticks when it has been quiet for 30 and for 55 minutes, and the nightly pass. "
    "Messages have 10 to 60 words, answers 50 to 150, the same for all. Tokens cost what the fake Mainline's list "
    "says (the small model: 0.25 dollars a million, 0.025 from the cache, 2 for answers; in batches half), and "
    "its cache lives for an hour after the last use. {facts} facts are told in passing, some are put right or "
    "forgotten, and all are asked for days later; the very request that must answer is searched for what counts "
    "by then. The others send the same system prompt and tools, less those of memory; they judge, note and forget "
    "nothing. `summary inside the turn` is what LangChain's SummarizationMiddleware does with the numbers of its "
    f"documentation: from {TRIGGER_TOKENS} tokens on, the last {KEPT_MESSAGES} messages stay. "
    "Its summaries, the product's and the product's notes come from the same stand-in: it picks sentences of the "
    "person by their words and knows no fact. What the web search costs is the same for all and left out."
)
OURS = "lanekeeper"
QUICK_DAYS = 4


def measure(say: Callable[[str], None], *, quick: bool) -> Figures:
    """Everybody's month."""
    lived = month(QUICK_DAYS, told=facts()[-16:]) if quick else month()
    return asyncio.run(_measure(lived, say))


async def _measure(lived: Month, say: Callable[[str], None]) -> Figures:
    async with System.launched(model=MODEL, workers=1, direct_database=True, no_freeze=True) as system:
        return await compared(system, lived, say)


async def compared(system: System, lived: Month, say: Callable[[str], None]) -> Figures:
    """The product's month on a running system, and the rivals' with what it looked up."""
    answers = Answers(lived)
    ours = await live(system, lived, answers, say)
    ways: dict[str, Any] = {OURS: _way(ours.spent, answers, 0.0, ours.summaries)}
    ways[OURS]["had_to_wait"] = ours.waited
    for kind in RIVALS:
        rival = kind(Frame.of(ours.first), Answers(lived))
        turns = [message for sitting in lived.sittings for message in sitting]
        for number, message in enumerate(turns):
            rival.turn(message, ours.looked.get(number, ()))
        ways[rival.name] = _way(rival.spent, rival.answers, sum(rival.waited_s), len(rival.waited_s))
        say(f"  {rival.name}: {ways[rival.name]['dollars']} dollars")
    count = sum(map(len, lived.sittings))
    return {"days": lived.days, "messages": count, "facts": len(lived.facts), "ways": ways}


def _way(spent: dict[str, Figures], answers: Answers, waited_s: float, summaries: int) -> Figures:
    chat = spent["chat"]
    return {
        "dollars": short(sum(one["dollars"] for one in spent.values())),
        "dollars_large": short(sum(_priced_large(name, one) for name, one in spent.items())),
        "features": spent,
        "cached_share": round(chat["cached"] / chat["input"], 4),
        "waited_s": short(waited_s),
        "summaries": summaries,
        **answers.figures(),
    }


def _priced_large(feature: str, spent: Figures) -> float:
    """What the same tokens cost where the large model answers and therefore summarises; the rest stays as it is."""
    if feature not in ("chat", "summary"):
        return float(spent["dollars"])
    return CAN_USE["large"].cost(spent["input"], spent["cached"], spent["output"])


def told(figures: Figures) -> Iterable[str]:
    """The figures as a section of the report."""
    yield from section("A month of one person", SETTING.format(**figures))
    names = sorted({name for way in figures["ways"].values() for name in way["features"]})
    yield from table(
        (
            "",
            "dollars",
            "with the large model",
            *names,
            "cached share of chat",
            "facts kept",
            "outdated",
            "lost",
            "forgotten, yet sent",
            "s waited in turns",
            "summaries",
        ),
        (
            (
                name,
                way["dollars"],
                way["dollars_large"],
                *(f"{way['features'][part]['dollars']:.4f}" if part in way["features"] else "-" for part in names),
                f"{way['cached_share']:.1%}",
                way["kept"],
                way["outdated"],
                way["lost"],
                f"{way['sent_again']} of {way['forgotten']}",
                way["waited_s"],
                way["summaries"],
            )
            for name, way in figures["ways"].items()
        ),
    )
    yield "Tokens of these calls: input / of it cached / output."
    yield ""
    yield from table(
        ("", *names),
        (
            (
                name,
                *(
                    f"{one['calls']:,} calls: {one['input']:,} / {one['cached']:,} / {one['output']:,}" if one else "-"
                    for one in (way["features"].get(part) for part in names)
                ),
            )
            for name, way in figures["ways"].items()
        ),
    )
    if missed := figures["ways"][OURS]["not_kept"]:
        yield f"What the product's request did not hold: {' '.join(missed)}"
