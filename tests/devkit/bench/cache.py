"""How much of a long conversation's prompt comes from the provider's cache, and what the other ways would have cost.

One conversation runs through the whole system, routing on. The fake Mainline keeps a prefix cache for each model, as
providers do, and counts. What it received is then played once more, request by request, against an empty cache of the
same kind: as it was, as a window of the last messages would have sent it, and with other ways of routing.
"""

import asyncio
import json
import random
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import convert_to_messages, trim_messages

from tests.devkit.bench.figures import Figures
from tests.devkit.bench.tables import section, table
from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.prefix_cache import PrefixCache
from tests.devkit.mainline.pricing import CAN_USE
from tests.devkit.mainline.prompt import render, tokens
from tests.devkit.system import System, someone

TURNS = 100
WINDOW = 10
LONG_TEXT_WORDS = 1_200
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """One turn as it is played: what the person writes, what the model does, and how hard it is judged to be."""

    text: str
    replies: tuple[Json, ...]
    hard: bool


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was received: its model, its body, and the length of its answer in tokens."""

    model: str
    body: Json
    output: int
    first_turn: bool


def conversation(turns: int, seed: int = 11) -> list[Said]:
    """A conversation: 10 to 60 words asked, 50 to 150 answered, a look at the web or the clock in every fourth turn.

    Every twelfth turn or so is judged difficult, and once a long text is pasted in.
    """
    dice = random.Random(seed)
    vocabulary = ["".join(dice.choices(string.ascii_lowercase, k=dice.randint(2, 9))) for _ in range(2000)]

    def words(fewest: int, most: int) -> str:
        return " ".join(dice.choices(vocabulary, k=dice.randint(fewest, most)))

    said = []
    for number in range(turns):
        text = words(10, 60)
        if number == turns // 2:
            text += " " + words(LONG_TEXT_WORDS, LONG_TEXT_WORDS)
        answer = {"text": words(50, 150)}
        looks: list[Json] = []
        if dice.random() < 0.25:
            query = words(3, 3)
            looks.append({"calls": [dice.choice((
                {"name": "web_search", "args": {"query": query}},
                {"name": "clock_now", "args": {"timezone": "Asia/Tokyo"}},
            ))]})  # fmt: skip
        said.append(Said(text, (*looks, answer), dice.random() < 1 / 12))
    return said


async def run(system: System, said: Sequence[Said]) -> list[Request]:
    """Have the conversation; what the fake Mainline received and answered, in order."""
    sub = someone("reader")
    conversation_id: str | None = None
    first = 0
    for number, turn in enumerate(said):
        await system.model(*turn.replies, sub=sub)
        await system.dev("decisions", {"sub": sub, "answers": {"difficulty": "hard"} if turn.hard else {}})
        named = {"conversationId": conversation_id} if conversation_id else {}
        accepted = await system.say(sub, turn.text, **named)
        conversation_id = accepted["conversationId"]
        reply = await system.follow_to_the_end(sub, accepted)
        assert "error" not in reply.types, reply.chunks[-1]
        await system.quiet()
        if number == 0:
            first = len(await system.requests(sub))
    received = await system.requests(sub)
    costs = await system.sql(
        "select model, input_tokens, cached_tokens, output_tokens from costs "
        "where user_id = %s and feature = 'chat' order by id",
        [sub],
    )
    # What we booked is what the gateway counted, call by call.
    booked = [(cost["model"], cost["input_tokens"], cost["cached_tokens"]) for cost in costs]
    assert booked == [(one["model"], one["input_tokens"], one["cached_tokens"]) for one in received]
    return [
        Request(one["model"], one["body"], cost["output_tokens"], index < first)
        for index, (one, cost) in enumerate(zip(received, costs, strict=True))
    ]


def counted(requests: Iterable[Request], *, expires: bool = False) -> Figures:
    """Tokens and price of requests, each model with a prefix cache that is empty at first.

    Args:
        requests: in the order in which they are sent.
        expires: whether the cache of a model has gone cold by the time another one has had a turn.
    """
    cache = PrefixCache(Clock())
    before = ""
    read = sent = later_read = later_sent = 0
    dollars = 0.0
    for request in requests:
        if expires and before not in ("", request.model):
            cache.clear()
        before = request.model
        prompt = render(json.dumps(request.body).encode(), request.body)
        known, length = cache.read(request.model, prompt), tokens(prompt)
        cache.write(request.model, prompt)
        read, sent = read + known, sent + length
        if not request.first_turn:
            later_read, later_sent = later_read + known, later_sent + length
        dollars += CAN_USE[request.model].cost(length, known, request.output)
    return {
        "input_tokens": sent,
        "cached_tokens": read,
        "cached_share": round(later_read / later_sent, 4),
        "dollars": round(dollars, 5),
    }


def windowed(requests: Sequence[Request]) -> list[Request]:
    """The same requests as ``trim_messages`` sends them: the system prompt and the last messages."""
    return [
        Request(one.model, one.body | {"messages": _trimmed(one.body["messages"])}, one.output, one.first_turn)
        for one in requests
    ]


def staying(requests: Sequence[Request]) -> list[Request]:
    """The same requests if the first hard turn took the conversation to the large model for good."""
    hard = next((index for index, one in enumerate(requests) if one.model == "large"), len(requests))
    return [
        Request("large" if index >= hard else one.model, one.body, one.output, one.first_turn)
        for index, one in enumerate(requests)
    ]


def measure(turns: int = TURNS) -> Figures:
    """Run the conversation and count each way."""
    requests = asyncio.run(_launched(conversation(turns)))
    small = [Request("small", one.body, one.output, one.first_turn) for one in requests]
    ways: dict[str, Callable[[], Figures]] = {
        "lanekeeper": lambda: counted(requests),
        "trim_messages": lambda: counted(windowed(requests)),
        "hard turns come back, cold": lambda: counted(requests, expires=True),
        "hard turns stay": lambda: counted(staying(requests)),
        "small only": lambda: counted(small),
    }
    return {
        "turns": turns,
        "requests": len(requests),
        "hard_requests": sum(one.model == "large" for one in requests),
        "window": WINDOW,
        "ways": {name: way() for name, way in ways.items()},
    }


def told(cache: Figures) -> Iterable[str]:
    """The figures as a section of the report."""
    yield from section(
        "Cached share of the prompt",
        f"One conversation of {cache['turns']} turns, {cache['requests']} requests, {cache['hard_requests']} of them "
        "to the large model, through the whole system. The fake Mainline keeps a prefix cache for each model and "
        "counts a token for four bytes. The share is of all input tokens after the first turn. The other rows are the "
        "same requests against an empty cache. `trim_messages` sends the system prompt and the last "
        f"{cache['window']} messages.",
    )
    yield from table(
        ("way", "cached share", "input tokens", "of them cached", "price in dollars"),
        (
            (
                name,
                f"{figures['cached_share']:.1%}",
                f"{figures['input_tokens']:,}",
                f"{figures['cached_tokens']:,}",
                f"{figures['dollars']:.4f}",
            )
            for name, figures in cache["ways"].items()
        ),
    )
    yield (
        "`hard turns come back, cold`: the other model's cache has expired at every switch. `hard turns stay`: the "
        "first hard turn takes the conversation to the large model for good. `small only`: no routing."
    )


async def _launched(said: Sequence[Said]) -> list[Request]:
    async with System.launched(workers=2, zero_delay=True, direct_database=True, no_freeze=True) as system:
        return await run(system, said)


def _trimmed(messages: list[Json]) -> list[Json]:
    *lasting, notes = messages
    numbered = convert_to_messages([{**message, "content": message["content"] or ""} for message in lasting])
    for index, message in enumerate(numbered):
        message.id = str(index)
    kept = trim_messages(
        numbered,
        strategy="last",
        token_counter=len,
        max_tokens=WINDOW + 1,
        include_system=True,
        start_on="human",
    )
    return [*(lasting[int(message.id or 0)] for message in kept), notes]
