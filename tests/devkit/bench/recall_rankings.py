"""Ways to rank one person's notes for a question, all over the product's table of notes."""

from collections.abc import Callable, Iterable
from typing import Any, LiteralString

import psycopg

from lanekeeper.memory.recall import SQL, parameters
from tests.devkit.bench.recall_data import Person

DEPTH = 10

Connection = psycopg.Connection[Any]
Ranking = Callable[[Person, str], list[str]]
"""Answers with the keys of notes, best first."""

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
# Each note alone: rare words weigh more, long notes a little less, a subject that is named adds 2.
ALONE: LiteralString = """
with asked as (select l from unnest(tsvector_to_array(to_tsvector('english', %(text)s))) l),
mine as materialized (
  select id, words, saved_at, subject, length(words)::float8 dl from notes where user_id = %(user_id)s),
hits as (select m.id, a.l from mine m join asked a on a.l = any (tsvector_to_array(m.words))),
idf as (
  select l, ln(1 + (s.n - count(*) + 0.5) / (count(*) + 0.5)) w
  from hits, (select count(*)::float8 n from mine) s group by l, s.n),
sums as (select id, sum(w) w from hits join idf using (l) group by id)
select m.id from sums s join mine m using (id), (select avg(dl) average from mine join sums using (id)) a
order by s.w / (1 + 1.2 * (0.75 + 0.25 * m.dl / a.average))
  + case when m.subject <> '' and strpos(lower(%(text)s), lower(m.subject)) > 0 then 2 else 0 end desc, m.saved_at desc
limit %(at_most)s"""


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


def by_statement(owner: Connection, statement: LiteralString) -> Ranking:
    """A rival, written in SQL."""

    def rank(person: Person, text: str) -> list[str]:
        asked = {"user_id": person.id, "text": text, "at_most": DEPTH}
        return [key_of(row[0]) for row in owner.execute(statement, asked)]

    return rank


def product(worker: Connection) -> Ranking:
    """The product's own, as the worker's role."""
    return lambda person, text: [key for key, _ in hits(worker, person, text)]


def hits(worker: Connection, person: Person, text: str) -> list[tuple[str, float]]:
    """What the product's search finds: the key of each note, and how much of the message's weight it holds."""
    with worker.transaction():
        worker.execute("select set_config('lanekeeper.user_id', %s, true)", [person.id])
        found = worker.execute(SQL["recall"], parameters(text, at_most=DEPTH)).fetchall()
    return [(key_of(row[0]), row[8]) for row in found]


def key_of(note_id: str) -> str:
    """The key under which a note stands in its set."""
    return note_id.split("/")[1]
