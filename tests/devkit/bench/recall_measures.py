"""How well a ranking finds the evidence of questions, and what the product makes of other questions."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from tests.devkit.bench.recall_data import ADVERSARIAL, Person
from tests.devkit.bench.recall_rankings import DEPTH, Connection, Ranking, hits

DEPTHS = (1, 3, DEPTH)
EVERY_WORD = 0.999
"""A share from which on every search word of the message was found in the note."""

Found = Mapping[tuple[str, str], "Recall"]
"""By set and category; under the category "all" every question but the adversarial ones."""


@dataclass(frozen=True, slots=True)
class Recall:
    """R@1, R@3 and R@10 in percent: the share of a question's evidence among so many notes, over all questions."""

    questions: int
    at: Mapping[int, float]

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]]) -> "Recall":
        """The mean of the questions' own shares, one for each of the depths."""
        return cls(len(rows), dict(zip(DEPTHS, map(fmean, zip(*rows, strict=True)), strict=True)))


@dataclass(frozen=True, slots=True)
class Answering:
    """In percent: questions that a note with every word answers, how many of those it answers rightly, and how many
    of another person's questions one answers.
    """

    own: float
    right: float
    others: float


def measure(people: Iterable[Person], rank: Ranking) -> Found:
    """What a ranking finds."""
    rows: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    for person in people:
        for question in person.questions:
            keys = rank(person, question.text)
            row = [_share(question.evidence, keys[:depth]) for depth in DEPTHS]
            if question.category:
                rows[person.set, question.category].append(row)
            if question.category != ADVERSARIAL:
                rows[person.set, "all"].append(row)
    return {name: Recall.of(of) for name, of in rows.items()}


def _share(evidence: Sequence[frozenset[str]], keys: Sequence[str]) -> float:
    return 100 * fmean(not holders.isdisjoint(keys) for holders in evidence)


def mistyped(rank: Ranking) -> Ranking:
    """The same ranking for questions with one wrong letter."""
    return lambda person, text: rank(person, wrong_letter(text))


def wrong_letter(text: str) -> str:
    """The text with one letter changed, left out or doubled in one of its longer words; always the same one."""
    chance = random.Random(text)
    words = text.split(" ")
    long = [place for place, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    if not long:
        return text
    place = chance.choice(long)
    word = words[place]
    at = chance.randrange(1, len(word))
    others = [letter for letter in "aeinorst" if letter != word[at]]
    words[place] = word[:at] + chance.choice((chance.choice(others), "", word[at] * 2)) + word[at + 1 :]
    return " ".join(words)


def answering(worker: Connection, people: Sequence[Person]) -> Answering:
    """How often one note holds every word of a question: of the person's own, and of somebody else's."""
    own: list[bool] = []
    right: list[bool] = []
    others: list[bool] = []
    for person in people:
        fellows = [fellow for fellow in people if fellow.set == person.set]
        other = fellows[(fellows.index(person) + 1) % len(fellows)]
        for question in (asked for asked in person.questions if asked.category != ADVERSARIAL):
            answers = [key for key, share in hits(worker, person, question.text) if share >= EVERY_WORD]
            own.append(bool(answers))
            if answers:
                right.append(any(answers[0] in holders for holders in question.evidence))
            if other is not person:
                others.append(any(share >= EVERY_WORD for _, share in hits(worker, other, question.text)))
    return Answering(*(100 * fmean(of) if of else 0.0 for of in (own, right, others)))
