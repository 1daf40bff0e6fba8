"""``python3 run.py bench recall``: what recall finds on public sets, beside other rankings of the same notes.

R@k is the share of a question's pieces of evidence that are among the first k notes, over all questions. The product
is measured through its own function, as the worker's role, under row-level security.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.devkit.bench import minilm, recall_data, recall_million
from tests.devkit.bench.recall_data import ADVERSARIAL, CATEGORIES, Person
from tests.devkit.bench.recall_measures import DEPTHS, Answering, Found, answering, measure, mistyped
from tests.devkit.bench.recall_rankings import ALONE, AND, BM25, OR, Ranking, by_statement, fill, product
from tests.devkit.bench.tables import table
from tests.devkit.migrations import migrate
from tests.devkit.postgres import Postgres

VARIABLE = "RECALL_DATA"
OURS = "Lanekeeper"
EACH_ALONE = "rare words, each note alone"
SETS = ("turns", "observations", "bfcl")
MULTI, OPEN = 24.0, 26.0
"""R@3 of the questions that a ranking of each note alone finds hardest, as once measured on all ten conversations."""
MOST_OTHERS, MOST_TYPOS = 3.0, 4.0
"""In percent and in points."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a number must come to: at least, or at most, ``bound``."""

    what: str
    seen: float
    bound: float
    least: bool = True

    @property
    def met(self) -> bool:
        """Whether it does."""
        return self.seen >= self.bound if self.least else self.seen <= self.bound


def main(arguments: list[str]) -> int:
    """Measure and print; 1 when the product misses a target."""
    parser = argparse.ArgumentParser(prog="run.py bench recall", description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get(VARIABLE), help=f"the folder, or {VARIABLE}")
    parser.add_argument("--million", action="store_true", help="measure how long a search takes among a million notes")
    chosen = parser.parse_args(arguments)
    if chosen.million:
        return recall_million.main()
    people = recall_data.read(Path(chosen.data)) if chosen.data else []
    if not people:
        _say(f"recall: skipped; name the folder of the sets with --data or {VARIABLE}")
        return 0
    found, typed_wrong, answered = take(people)
    reached = list(targets(found, typed_wrong, answered))
    print("\n".join(report(found, answered, reached)))
    return 0 if all(target.met for target in reached) else 1


def take(people: Sequence[Person]) -> tuple[Mapping[str, Found], Found, Answering]:
    """What every ranking finds; the product once more with wrong letters; and whom a note with every word answers."""
    with Postgres() as server:
        server.create_database("recall")
        server.prepare_database("recall", migrate)
        with (
            psycopg.connect(server.url("recall"), autocommit=True) as owner,
            psycopg.connect(server.url("recall", "worker"), autocommit=True) as worker,
        ):
            fill(owner, people)
            rankings = {
                "plain AND": by_statement(owner, AND),
                "OR, ts_rank_cd": by_statement(owner, OR),
                "BM25 in SQL": by_statement(owner, BM25),
                EACH_ALONE: by_statement(owner, ALONE),
                **_embedding(people),
                OURS: product(worker),
            }
            found = {name: measure(people, rank) for name, rank in rankings.items()}
            return found, measure(people, mistyped(rankings[OURS])), answering(worker, people)


def _embedding(people: Sequence[Person]) -> dict[str, Ranking]:
    nearest = minilm.nearest(people, _say)
    return {} if nearest is None else {minilm.PEER.what: lambda person, text: nearest[person.id, text]}


def targets(found: Mapping[str, Found], typed_wrong: Found, answered: Answering) -> Iterator[Target]:
    """What the product must come to."""
    ours, alone = found[OURS], found[EACH_ALONE]
    for name in SETS:
        if (name, "all") in ours:
            floor = alone[name, "all"].at[3] - 1
            yield Target(f"{name}: R@3, each note alone less 1", ours[name, "all"].at[3], floor)
    for category, bound in (("multi-evidence", MULTI), ("open-domain", OPEN)):
        if ("turns", category) in ours:
            yield Target(f"turns, {category}: R@3", ours["turns", category].at[3], bound)
    for name in SETS:
        if (name, "all") in ours:
            cost = ours[name, "all"].at[3] - typed_wrong[name, "all"].at[3]
            yield Target(f"{name}: points of R@3 that one wrong letter costs", cost, MOST_TYPOS, least=False)
    yield Target("another person's questions answered, %", answered.others, MOST_OTHERS, least=False)


def report(found: Mapping[str, Found], answered: Answering, reached: Sequence[Target]) -> Iterator[str]:
    """The tables."""
    sets = [name for name in SETS if (name, "all") in found[OURS]]
    depths = " / ".join(f"R@{depth}" for depth in DEPTHS)
    head = [f"{name}, {found[OURS][name, 'all'].questions} questions: {depths}" for name in sets]
    rows = ([ranking, *(_depths(of, name) for name in sets)] for ranking, of in found.items())
    yield from table(["ranking", *head], rows)
    for name in sets:
        kinds = [kind for kind in CATEGORIES.values() if (name, kind) in found[OURS]]
        if kinds:
            head = [f"{kind} ({found[OURS][name, kind].questions})" for kind in kinds]
            rows = ([ranking, *(f"{of[name, kind].at[3]:.1f}" for kind in kinds)] for ranking, of in found.items())
            yield from table([f"{name}: R@3", *head], rows)
    yield (
        f"All are without the {ADVERSARIAL} ones. A note with every word answers {answered.own:.1f} % of a person's "
        f"own questions, {answered.right:.0f} % of them rightly, and {answered.others:.1f} % of another person's."
    )
    yield ""
    bounds = ([t.what, f"{t.seen:.1f}", f"{'at least' if t.least else 'at most'} {t.bound:.1f}"] for t in reached)
    judged = ([*row, "met" if target.met else "missed"] for row, target in zip(bounds, reached, strict=True))
    yield from table(["target", "seen", "bound", ""], judged)


def _depths(found: Found, name: str) -> str:
    return " / ".join(f"{found[name, 'all'].at[depth]:.1f}" for depth in DEPTHS)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
