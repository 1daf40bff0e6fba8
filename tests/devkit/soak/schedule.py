"""A schedule: who writes what and when, what the model does, and which machines are lost. All of it from one seed."""

import random
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

HOWS = ("kill", "freeze", "blackhole")
WORKER_POINTS = (
    "start",
    "claimed",
    "before_model",
    "mid_stream",
    "after_model",
    "before_tool",
    "after_tool",
    "before_commit",
    "after_commit",
)
# The functions' points, more often those where more is at stake.
POINTS = (
    *(("worker", point) for point in WORKER_POINTS),
    *(("worker", point) for point in ("mid_stream", "before_commit", "after_commit")),
    ("accept", "after_commit"),
    ("stream", "mid_stream"),
    ("maintenance", "start"),
)


@dataclass(frozen=True, slots=True)
class Message:
    """Something a person writes ``after_s`` their last message was accepted.

    ``late_s``: how long they wait before they read the reply. ``twice``: the request is sent twice at once.
    """

    text: str
    after_s: float
    conversation: int = 0
    late_s: float = 0.0
    twice: bool = False
    stop_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Weather:
    """Something that happens to the machines. ``what`` is kill, outage, repeat, tick or clock."""

    at_s: float
    what: str
    function: str = ""
    point: str = ""
    how: str = ""
    seconds: float = 0.0
    delays_s: tuple[float, ...] = ()

    def __str__(self) -> str:
        match self.what:
            case "kill":
                return f"{self.how} the next {self.function} at {self.point}"
            case "repeat":
                return f"deliver the worker's next event again after {', '.join(map(str, self.delays_s))} s"
            case "outage":
                return f"{self.function} away for {self.seconds} s"
            case "clock":
                return f"the clock jumps {self.seconds} s ahead"
            case other:
                return other


@dataclass(frozen=True, slots=True)
class Player:
    """One person: their messages, and what the model will say to them, call by call."""

    messages: tuple[Message, ...]
    replies: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Everything that one seed stands for. ``thaw``: frozen machines run on once all is over."""

    seed: int
    players: tuple[Player, ...]
    weather: tuple[Weather, ...] = field(default=())
    thaw: bool = False

    @classmethod
    def of(cls, seed: int) -> "Schedule":
        """The schedule of a seed."""
        chance = random.Random(seed)
        players = tuple(_player(chance, number) for number in range(chance.randint(2, 4)))
        weather = sorted((_weather(chance) for _ in range(chance.randint(1, 5))), key=lambda event: event.at_s)
        return cls(seed, players, tuple(weather), thaw=chance.random() < 0.5)


def _player(chance: random.Random, number: int) -> Player:
    conversations = chance.choice((1, 1, 1, 2))
    messages = tuple(
        Message(
            text=f"message {position} of player {number}",
            after_s=0.0 if chance.random() < 0.5 else round(chance.uniform(0, 0.5), 2),
            conversation=chance.randrange(conversations),
            late_s=chance.choice((0, 0, 0, 0.3)),
            twice=chance.random() < 0.15,
            stop_after_s=round(chance.uniform(0, 0.4), 2) if chance.random() < 0.08 else None,
        )
        for position in range(chance.randint(1, 4))
    )
    calls = chance.randint(1, 8)
    return Player(messages, tuple(_reply(chance, number, position) for position in range(calls)))


def _reply(chance: random.Random, number: int, position: int) -> Json:
    kind = chance.random()
    if kind < 0.08:
        return {"error": chance.choice((429, 500, 503, "cut"))}
    pace: Json = {"token_delay_ms": chance.choice((0, 0, 5, 15)), "delay_s": chance.choice((0, 0, 0.1, 0.3))}
    words = " ".join(f"word{chance.randrange(100)}" for _ in range(chance.randint(3, 40)))
    said: Json = {"text": f"Answer {position} to player {number}: {words}.", **pace}
    if kind < 0.35:
        said["calls"] = [_call(chance) for _ in range(chance.choice((1, 1, 2)))]
        if chance.random() < 0.5:
            del said["text"]
    return said


def _call(chance: random.Random) -> Json:
    return chance.choice(
        (
            {"name": "web_search", "args": {"query": f"lighthouse {chance.randrange(9)}"}},
            {"name": "clock_now", "args": {}},
            {"name": "no_such_tool", "args": {}},
        )
    )


def _weather(chance: random.Random) -> Weather:
    at_s = round(chance.uniform(0, 1.2), 2)
    kind = chance.random()
    if kind < 0.65:
        function, point = chance.choice(POINTS)
        return Weather(at_s, "kill", function, point, chance.choice(HOWS))
    if kind < 0.75:
        return Weather(at_s, "outage", "database", seconds=chance.choice((0.3, 1.0, 2.0)))
    if kind < 0.80:
        return Weather(at_s, "outage", "mainline", seconds=chance.choice((0.3, 1.0)))
    if kind < 0.90:
        return Weather(at_s, "repeat", delays_s=(0.0, 0.0, round(chance.uniform(0.2, 1.0), 2)))
    if kind < 0.96:
        return Weather(at_s, "tick")
    return Weather(at_s, "clock", seconds=30)
