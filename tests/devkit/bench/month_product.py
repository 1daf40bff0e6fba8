"""The product through a month: its functions, its database, its ticks and its nights, on a clock that is moved."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.devkit.bench.figures import Figures
from tests.devkit.bench.month_answers import Answers, holds, in_order
from tests.devkit.bench.month_model import asks_of_oneself
from tests.devkit.bench.month_script import Message, Month
from tests.devkit.system import System, someone

Json = dict[str, Any]

# When pg_cron would have started something for a quiet conversation: after the idle save, and after the compaction.
QUIET_S = (1_801, 3_301)
NIGHT = timedelta(hours=3)
# What was given to others than models costs the same whoever asks.
SPENT = """
select feature, count(*) as calls, sum(input_tokens) as input, sum(cached_tokens) as cached,
       sum(output_tokens) as output, sum(micros) / 1e6 as dollars
from costs where user_id = %s and feature <> 'web_search' group by feature order by feature
"""

# Whom the fake Mainline has answer in this month.
MODEL = "tests.devkit.bench.month_model:Extracting"


@dataclass(slots=True)
class Lived:
    """What came of it: what was spent by feature, how many messages had to wait, and what each turn looked up."""

    spent: dict[str, Figures]
    waited: int
    first: Json
    looked: dict[int, list[Json]]
    summaries: int


async def live(system: System, month: Month, answers: Answers, say: Callable[[str], None]) -> Lived:
    """Have one person live through the month."""
    sub = someone("month")
    conversation: Json = {}
    waited = 0
    messages = [message for sitting in month.sittings for message in sitting]
    following = [sitting[0].at for sitting in month.sittings[1:]] + [messages[-1].at + timedelta(hours=12)]
    for sitting, upcoming in zip(month.sittings, following, strict=True):
        for message in sitting:
            await _prepare(system, sub, message)
            accepted = await system.say(sub, message.text, **conversation)
            waited += accepted["state"] == "waiting"
            conversation = {"conversationId": accepted["conversationId"]}
            reply = await system.follow_to_the_end(sub, accepted)
            assert "text-delta" in reply.types, reply.chunks
        await system.quiet()
        await _pass(system, sitting[-1].at, upcoming)
        if sitting[-1].at.date() != upcoming.date():
            say(f"  {sitting[-1].at:%d %B}")
    received = await system.dev(f"requests?sub={sub}", method="GET")
    looked: dict[int, list[Json]] = {}
    for at, one in in_order(received):
        answers.saw(at, one["feature"], json.dumps(one["body"], ensure_ascii=False))
        turn = answers.turn_at(at)
        if one["feature"] == "chat" and messages[turn].look:
            looked[turn] = _looked(one["body"]["messages"])
    first = next(one["body"] for _, one in in_order(received) if one["feature"] == "chat")
    fixed = json.dumps([first["tools"], first["messages"][0]], ensure_ascii=False)
    clear = [fact.ask for fact in month.facts if holds(fixed, fact.value) or holds(fixed, fact.now)]
    assert not clear, f"the product's own prompt would give these away: {clear}"
    spent = {row.pop("feature"): _plain(row) for row in await system.sql(SPENT, [sub])}
    (made,) = await system.sql("select coalesce(sum(version), 0) as made from summaries where user_id = %s", [sub])
    return Lived(spent, waited, first, looked, int(made["made"]))


async def _prepare(system: System, sub: str, message: Message) -> None:
    """Move to the message's moment, and have its answer ready where the script and not the demo model has it."""
    await system.dev("clock", {"now": message.at.timestamp()})
    if message.kind not in ("remember", "forget"):
        search = [{"calls": [{"name": "web_search", "args": {"query": message.look}}]}] if message.look else []
        await system.model(*search, {"text": message.answer}, sub=sub)
    if asks_of_oneself(message.text):
        # The fake judges nothing by itself. In its place stands a rule of words, which knows no fact either.
        await system.dev("decisions", {"sub": sub, "answers": {"refers_to_earlier": 1.0}})


async def _pass(system: System, last: datetime, upcoming: datetime) -> None:
    """Let the time until the next sitting pass, with all that runs in it."""
    for seconds in QUIET_S:
        if (due := last + timedelta(seconds=seconds)) < upcoming:
            await system.dev("clock", {"now": due.timestamp()})
            await system.tick()
    if last.date() != upcoming.date():
        night = datetime.combine(last.date() + timedelta(days=1), datetime.min.time(), last.tzinfo) + NIGHT
        await system.dev("clock", {"now": night.timestamp()})
        await system.nightly()
        await system.tick()


def _looked(messages: list[Json]) -> list[Json]:
    """The calls and results of the turn that a request belongs to."""
    begin = max(index for index, one in enumerate(messages) if one["role"] == "user") + 1
    return [one for one in messages[begin:] if one["role"] in ("assistant", "tool")]


def _plain(row: Figures) -> Figures:
    return {name: float(value) if name == "dollars" else int(value) for name, value in row.items()}
