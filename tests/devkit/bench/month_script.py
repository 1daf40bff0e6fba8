"""What one person writes in a month, and when: the same for everybody who is measured.

Forty messages a day in five sittings, minutes apart inside one and hours apart between them, all in one conversation.
Most are everyday questions. Among them the person tells of themselves, puts some of it right, has some of it forgotten,
and days later asks for it.
"""

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

BEGIN = datetime(2027, 3, 1, tzinfo=UTC)
DAYS, PER_DAY = 30, 40
# When a sitting begins, as hours of the day, and its share of the day's messages. Between the last two is less than an
# hour, between the others there is more.
SITTINGS = ((7.5, 0.20), (12.25, 0.25), (17.5, 0.15), (20.0, 0.20), (20.95, 0.20))
_TALK = tomllib.loads(Path(__file__).with_name("month_talk.toml").read_text(encoding="utf-8"))
_WORDS = _TALK["words"].split()
PAUSE_S = (40, 200)
FEWEST_DAYS, MOST_DAYS = 2, 18

Kind = Literal["talk", "tell", "remember", "correct", "forget", "ask"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is told and later asked for. Its parts are told in the file beside this module."""

    tell: str
    ask: str
    value: str
    correct: str = ""
    now: str = ""
    forget: str = ""

    @property
    def present(self) -> str:
        """What counts in the end; what must be gone, where it is forgotten."""
        return self.now or self.value


@dataclass(frozen=True, slots=True)
class Message:
    """One message: when it is written, and what is answered where no model is to decide that.

    Attributes:
        at: the moment.
        look: what the answer looks up on the web first, if anything.
        fact: what it is about, unless it is talk.
    """

    at: datetime
    kind: Kind
    text: str
    answer: str
    look: str = ""
    fact: Fact | None = None


@dataclass(frozen=True, slots=True)
class Month:
    """All that happens, in order: sittings of messages."""

    days: int
    sittings: tuple[tuple[Message, ...], ...]
    facts: tuple[Fact, ...]


def facts() -> tuple[Fact, ...]:
    """The facts there are."""
    file = Path(__file__).with_name("month_facts.toml")
    return tuple(Fact(**fact) for fact in tomllib.loads(file.read_text(encoding="utf-8"))["fact"])


def month(days: int = DAYS, per_day: int = PER_DAY, *, told: Sequence[Fact] | None = None, seed: int = 7) -> Month:
    """A month, or less; always the same one.

    Args:
        days: how many; fewer bring telling and asking nearer together.
        per_day: messages a day.
        told: the facts; all there are without it.
        seed: of the dice.
    """
    dice = random.Random(seed)
    told = facts() if told is None else told
    moments = [list(_moments(dice, day, per_day)) for day in range(days)]
    places = [(day, sitting, at) for day, sittings in enumerate(moments) for sitting in sittings for at in sitting]
    planned = _planned(dice, told, days, per_day)
    written: dict[datetime, Message] = {}
    for index, (_, _, at) in enumerate(places):
        written[at] = _about(dice, at, *planned[index]) if index in planned else _talk(dice, at)
    sittings = tuple(tuple(written[at] for at in sitting) for day in moments for sitting in day if sitting)
    return Month(days, sittings, tuple(told))


def _moments(dice: random.Random, day: int, per_day: int) -> Iterator[list[datetime]]:
    left = per_day
    for number, (hour, share) in enumerate(SITTINGS):
        count = left if number == len(SITTINGS) - 1 else round(per_day * share)
        left -= count
        at = BEGIN + timedelta(days=day, hours=hour)
        sitting = []
        for _ in range(count):
            sitting.append(at)
            at += timedelta(seconds=dice.randint(*PAUSE_S))
        yield sitting


def _planned(dice: random.Random, told: Sequence[Fact], days: int, per_day: int) -> dict[int, tuple[Kind, Fact]]:
    """Which message is about which fact: telling, putting right or forgetting, and asking, each some days later."""
    planned: dict[int, tuple[Kind, Fact]] = {}

    def place(first: int, last: int, kind: Kind, fact: Fact) -> int:
        free = [index for index in range(first * per_day, min(last, days) * per_day) if index not in planned]
        index = dice.choice(free)
        planned[index] = (kind, fact)
        return index // per_day

    fewest = min(FEWEST_DAYS, max(1, days // 3))
    for fact in told:
        steps = 1 + bool(fact.correct or fact.forget)
        latest = max(1, days - steps * fewest - 1)
        explicit = fact.tell.lower().startswith(("remember", "please remember", "note that"))
        day = place(0, latest, "remember" if explicit else "tell", fact)
        for kind, text in (("correct", fact.correct), ("forget", fact.forget)):
            if text:
                day = place(day + fewest, min(day + MOST_DAYS, days - fewest), kind, fact)  # type: ignore[arg-type]
        place(day + fewest, day + MOST_DAYS, "ask", fact)
    return planned


def _about(dice: random.Random, at: datetime, kind: Kind, fact: Fact) -> Message:
    if kind == "ask":
        return Message(at, kind, fact.ask, _prose(dice, 10, 30), fact=fact)
    text = {"correct": fact.correct, "forget": fact.forget}.get(kind, fact.tell)
    if kind == "tell" and dice.random() < 0.5:
        # Said in passing: among other things, before or after them.
        request = _request(dice)
        text = f"{text} {request}" if dice.random() < 0.5 else f"{request} {text}"
    return Message(at, kind, text, _prose(dice, 30, 90), fact=fact)


def _talk(dice: random.Random, at: datetime) -> Message:
    look = dice.choice(_TALK["topics"]) if dice.random() < 0.1 else ""
    text = f"Please look up {look} for me." if look else _request(dice)
    if dice.random() < 0.03:
        text = f"{text} Here is what they wrote: {_prose(dice, 250, 500)}"
    return Message(at, "talk", text, _prose(dice, 50, 150), look)


def _request(dice: random.Random) -> str:
    opening = dice.choice(_TALK["openings"]).format(thing=dice.choice(_TALK["things"]), way=dice.choice(_TALK["ways"]))
    remarks = dice.sample(_TALK["remarks"], dice.choice((0, 1, 2, 3, 4, 5)))
    return " ".join([opening, *remarks])


def _prose(dice: random.Random, fewest: int, most: int) -> str:
    """Sentences of everyday words, which say nothing of anybody."""
    left = dice.randint(fewest, most)
    sentences = []
    while left > 0:
        size = min(left, dice.randint(6, 14))
        sentences.append(" ".join(dice.choices(_WORDS, k=size)).capitalize() + ".")
        left -= size
    return " ".join(sentences)
