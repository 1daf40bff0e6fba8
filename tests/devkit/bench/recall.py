"""``python3 run.py bench recall``: what recall finds on public sets, beside other rankings of the same notes.

R@k is the share of a question's pieces of evidence that are among the first k notes, over all questions. The product
is measured through its own function, as the worker's role, under row-level security.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from lanekeeper.memory.recall import SQL, parameters
from tests.devkit.bench import recall_data
from tests.devkit.bench.recall_data import Person
from tests.devkit.bench.tables import table
from tests.devkit.migrations import migrate
from tests.devkit.postgres import Postgres

VARIABLE = "RECALL_DATA"
DEPTH = 10
FLOORS = {"turns": (1500, 50.9), "observations": (1500, 48.1), "bfcl": (80, 79.2)}
"""From how many questions on R@3 must reach how many percent: parts of a set are easier or harder than the whole."""

Connection = psycopg.Connection[Any]
Ranking = Callable[[Connection, Person, str], list[str]]

# Each answers with keys, best first, from the notes of one person under the names of the product's table.
AND: LiteralString = """
select id from notes where user_id = %(user_id)s and words @@ plainto_tsquery('english', %(text)s)
order by ts_rank(words, plainto_tsquery('english', %(text)s)) desc, saved_at desc limit %(at_most)s"""
OR: LiteralString = """
select n.id from notes n, (
  select string_agg(quote_literal(l), ' | ')::tsquery q
  from unnest(tsvector_to_array(to_tsvector('english', %(text)s))) l) q
where n.user_id = %(user_id)s and n.words @@ q.q
order by ts_rank_cd(n.words, q.q) desc, n.saved_at desc limit %(at_most)s"""
BM25: LiteralString = """
with asked as (select l from unnest(tsvector_to_array(to_tsvector('english', %(text)s))) l),
mine as materialized (select id, words, saved_at, length(words)::float8 dl from notes where user_id = %(user_id)s),
size as (select count(*)::float8 n, avg(dl) average from mine),
hits as (
  select m.id, a.l, m.dl, array_length(u.positions, 1)::float8 tf, m.saved_at
  from mine m, unnest(m.words) u(lexeme, positions, weights) join asked a on a.l = u.lexeme),
df as (select l, count(*)::float8 df from hits group by l)
select h.id from hits h join df using (l), size s
group by h.id, h.saved_at
order by sum(ln(1 + (s.n - df.df + 0.5) / (df.df + 0.5))
             * h.tf * 2.2 / (h.tf + 1.2 * (0.25 + 0.75 * h.dl / s.average))) desc, h.saved_at desc
limit %(at_most)s"""


def main(arguments: list[str]) -> int:
    """Measure and print; 1 when the product is below a floor."""
    parser = argparse.ArgumentParser(prog="run.py bench recall", description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get(VARIABLE), help=f"the folder, or {VARIABLE}")
    folder: Path | None = parser.parse_args(arguments).data
    people = recall_data.read(Path(folder)) if folder else []
    if not people:
        print(f"recall: skipped; name the folder of the sets with --data or {VARIABLE}", file=sys.stderr)
        return 0
    with Postgres() as server:
        server.create_database("recall")
        server.prepare_database("recall", migrate)
        with psycopg.connect(server.url("recall"), autocommit=True) as owner:
            fill(owner, people)
            with psycopg.connect(server.url("recall", "worker")) as worker:
                rankings: dict[str, tuple[Connection, Ranking]] = {
                    "plain AND": (owner, _by(AND)),
                    "OR, ts_rank_cd": (owner, _by(OR)),
                    "BM25 in SQL": (owner, _by(BM25)),
                    "Lanekeeper": (worker, product),
                }
                found = {name: measure(connection, people, rank) for name, (connection, rank) in rankings.items()}
    print("MiniLM: not measured; it has no package here that brings its weights", file=sys.stderr)
    print("\n".join(report(people, found)))
    asked = sizes(people)
    missed = [
        f"{name}: {found['Lanekeeper'][name][3]:.1f}, at least {floor}"
        for name, (questions, floor) in FLOORS.items()
        if asked.get(name, 0) >= questions and found["Lanekeeper"][name][3] < floor
    ]
    for line in missed:
        print(f"missed  {line}")
    return 1 if missed else 0


def fill(owner: Connection, people: Iterable[Person]) -> None:
    """Write every note, a second apart."""
    for person in people:
        owner.execute("insert into users (id) values (%s)", [person.id])
        owner.execute("insert into conversations (id, user_id, agent_id) values (%s, %s, 'a')", [person.id, person.id])
        owner.execute(
            "insert into messages (user_id, id, conversation_id, role, parts) values (%s, 'm', %s, 'user', '[]')",
            [person.id, person.id],
        )
        rows = [
            (f"{person.id}/{note.key}/{place}", person.id, note.subject, note.body, place)
            for place, note in enumerate(person.notes)
        ]
        with owner.cursor() as cursor:
            cursor.executemany(
                "insert into notes (id, user_id, kind, subject, body, source, source_message_id, saved_at) "
                "values (%s, %s, 'fact', %s, %s, 'stated', 'm', '2030-01-01'::timestamptz + make_interval(secs => %s))",
                rows,
            )
    owner.execute("vacuum analyze notes")


def product(connection: Connection, person: Person, text: str) -> list[str]:
    """The product's own ranking."""
    connection.execute("select set_config('lanekeeper.user_id', %s, true)", [person.id])
    return [row[0] for row in connection.execute(SQL["recall"], parameters(text, at_most=DEPTH)).fetchall()]


def _by(statement: LiteralString) -> Ranking:
    def rank(connection: Connection, person: Person, text: str) -> list[str]:
        asked = {"user_id": person.id, "text": text, "at_most": DEPTH}
        return [row[0] for row in connection.execute(statement, asked).fetchall()]

    return rank


def measure(connection: Connection, people: Iterable[Person], rank: Ranking) -> dict[str, dict[int, float]]:
    """For each set R@3 and R@10 in percent, and under 0 the median milliseconds of one search."""
    shares: dict[str, dict[int, list[float]]] = {}
    for person in people:
        of_set = shares.setdefault(person.set, {0: [], 3: [], DEPTH: []})
        for question in person.questions:
            began = time.perf_counter()
            keys = [row.split("/")[1] for row in rank(connection, person, question.text)]
            of_set[0].append((time.perf_counter() - began) * 1000)
            for depth in (3, DEPTH):
                seen = set(keys[:depth])
                hits = [bool(holders & seen) for holders in question.evidence]
                of_set[depth].append(100 * sum(hits) / len(hits))
    return {
        name: {0: statistics.median(of[0]), 3: statistics.fmean(of[3]), DEPTH: statistics.fmean(of[DEPTH])}
        for name, of in shares.items()
    }


def sizes(people: Iterable[Person]) -> dict[str, int]:
    """How many questions each set has."""
    asked: dict[str, int] = {}
    for person in people:
        asked[person.set] = asked.get(person.set, 0) + len(person.questions)
    return asked


def report(people: list[Person], found: dict[str, dict[str, dict[int, float]]]) -> Iterable[str]:
    """The table."""
    asked = sizes(people)
    head = ["ranking", *(f"{name}, {questions} questions: R@3 / R@10 (ms)" for name, questions in asked.items())]
    rows = [
        [ranking, *(f"{by[name][3]:.1f} / {by[name][DEPTH]:.1f} ({by[name][0]:.1f})" for name in asked)]
        for ranking, by in found.items()
    ]
    return table(head, rows)
