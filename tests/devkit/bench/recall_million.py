"""``python3 run.py bench recall --million``: how long one search takes among a million notes.

Ten thousand people have a hundred notes each, and one has a hundred thousand. Their words are made up and as unequal
as words are: the tenth is said a tenth as often as the first. Everything runs as the worker's role under row-level
security, on one warm connection. On a machine that does other things besides, wall time says little: the processor
time that Postgres spent on the search stands beside it.
"""

import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from lanekeeper.memory.recall import SQL, parameters
from tests.devkit.bench.tables import table
from tests.devkit.migrations import migrate
from tests.devkit.postgres import Postgres

PEOPLE = 10_000
NOTES = 100
HOARDER = 100_000
VOCABULARY = 40_000
USUAL_MS = 20.0
"""p99 of a search for a person with as many notes as people have."""
LONGEST_MS = 80.0
"""What no search may take, whoever asks for whatever."""
ROUNDS = 3

_STARTS, _VOWELS, _ENDS = (
    letters.split()
    for letters in (
        "b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t tr v w z",
        "a e i o u ai ea ee oa ou",
        "b ck d f g l ll m n nd ng nt p r rd rt s sk st t th x",
    )
)

Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """Milliseconds of the searches of one kind, each the fastest of its rounds: on the wall, and of the processor."""

    what: str
    wall: Sequence[float]
    busy: Sequence[float]
    most: float


def run(people: int = PEOPLE, hoarder: int = HOARDER, *, searches: int = 300) -> list[Taken]:
    """Fill a database of its own and search it."""
    chance = random.Random(7)
    words = Words(chance)
    with Postgres(settings={"shared_buffers": "1GB", "maintenance_work_mem": "512MB"}) as server:
        server.create_database("million")
        server.prepare_database("million", migrate)
        with psycopg.connect(server.url("million"), autocommit=True) as owner:
            fill(owner, words, people, hoarder)
        with psycopg.connect(server.url("million", "worker"), autocommit=True) as worker:
            return list(measured(worker, words, chance, people, searches))


class Words:
    """A made-up vocabulary, the most usual word first."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        made: dict[str, None] = {}
        while len(made) < VOCABULARY:
            syllables = 1 + len(made) // 400 if len(made) < 800 else chance.choice((2, 2, 3))
            made["".join(self._syllable() for _ in range(syllables))] = None
        self.all = list(made)
        self._weights = list(accumulate(1 / place for place in range(1, VOCABULARY + 1)))

    def _syllable(self) -> str:
        return "".join(self._chance.choice(part) for part in (_STARTS, _VOWELS, _ENDS))

    def some(self, many: int) -> list[str]:
        """So many words as they come."""
        return self._chance.choices(self.all, cum_weights=self._weights, k=many)


def fill(owner: Connection, words: Words, people: int, hoarder: int) -> None:
    """Write everybody's notes, and only then the indexes of the table."""
    names = [f"u{number}" for number in range(people + 1)]
    indexes = owner.execute(
        "select pg_get_indexdef(indexrelid), indexrelid::regclass::text from pg_index "
        "where indrelid = 'notes'::regclass and not indisprimary"
    ).fetchall()
    # No foreign key is checked row by row here: every row is as it should be.
    owner.execute("set session_replication_role = replica")
    for _, name in indexes:
        owner.execute(f"drop index {name}".encode())
    with owner.cursor() as cursor:
        with cursor.copy("copy users (id) from stdin") as copy:
            for name in names:
                copy.write_row([name])
        with cursor.copy(
            "copy notes (id, user_id, kind, subject, body, source, source_message_id, saved_at) from stdin"
        ) as copy:
            for who, place in _owners(names, hoarder):
                said = words.some(14)
                copy.write_row(
                    [f"{who}-{place}", who, "fact", " ".join(said[:2]), " ".join(said[2:]), "stated", "m",
                     f"2030-01-01 {place // 3600 % 24:02}:{place // 60 % 60:02}:{place % 60:02}"]
                )  # fmt: skip
    for definition, _ in indexes:
        owner.execute(definition.encode())
    owner.execute("vacuum analyze notes")


def _owners(names: Sequence[str], hoarder: int) -> Iterator[tuple[str, int]]:
    """Whose each note is: people's notes come in the order in which they are said, not one person after the other."""
    for place in range(NOTES):
        for name in names[1:]:
            yield name, place
    for place in range(hoarder):
        yield names[0], place


def measured(worker: Connection, words: Words, chance: random.Random, people: int, searches: int) -> Iterator[Taken]:
    """The kinds of search, each with what it may take."""
    usual = [(f"u{chance.randrange(1, people + 1)}", " ".join(words.some(8))) for _ in range(searches)]
    yield take(worker, "one of many, 8 words", usual, USUAL_MS)
    wrong = [(who, " ".join(_mistyped(word, chance) for word in said.split())) for who, said in usual]
    yield take(worker, "one of many, every word mistyped", wrong, USUAL_MS)
    most = searches // 10
    common = [("u0", " ".join(chance.sample(words.all[:20], 8))) for _ in range(most)]
    yield take(worker, "100,000 notes, the 20 most usual words", common, LONGEST_MS)
    mixed = [("u0", " ".join(words.some(8))) for _ in range(most)]
    yield take(worker, "100,000 notes, 8 words", mixed, LONGEST_MS)
    long = [("u0", " ".join(words.some(300))) for _ in range(most)]
    yield take(worker, "100,000 notes, a message of 2,000 characters", long, LONGEST_MS)


def take(worker: Connection, what: str, searches: Sequence[tuple[str, str]], most: float) -> Taken:
    """Run each search some times, after one that warms."""
    pid = worker.info.backend_pid
    wall, busy = [], []
    for who, said in searches:
        worker.execute("select set_config('lanekeeper.user_id', %s, false)", [who])
        asked = parameters(said)
        worker.execute(SQL["recall"], asked).fetchall()
        rounds = [_timed(worker, SQL["recall"], asked, pid) for _ in range(ROUNDS)]
        wall.append(min(took for took, _ in rounds))
        busy.append(min(spent for _, spent in rounds))
    return Taken(what, sorted(wall), sorted(busy), most)


def _timed(worker: Connection, statement: LiteralString, asked: dict[str, Any], pid: int) -> tuple[float, float]:
    before, began = _spent_ms(pid), time.perf_counter()
    worker.execute(statement, asked).fetchall()
    return (time.perf_counter() - began) * 1000, _spent_ms(pid) - before


def _spent_ms(pid: int) -> float:
    """Processor time of a process; nothing where the system does not say."""
    spent = Path(f"/proc/{pid}/schedstat")
    return int(spent.read_text(encoding="ascii").split()[0]) / 1e6 if spent.exists() else 0.0


def _mistyped(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word))
    return word[:place] + chance.choice("abcdefghijklmnopqrstuvwxyz") + word[place + 1 :]


def percentile(sorted_values: Sequence[float], share: float) -> float:
    """The value that so large a share of them does not pass."""
    return sorted_values[min(int(len(sorted_values) * share), len(sorted_values) - 1)]


def main() -> int:
    """Measure and print; 1 when a search took too long."""
    began = time.perf_counter()
    taken = run()
    rows = [
        [
            one.what,
            len(one.wall),
            " / ".join(f"{percentile(one.wall, share):.1f}" for share in (0.5, 0.99, 1)),
            " / ".join(f"{percentile(one.busy, share):.1f}" for share in (0.5, 0.99, 1)),
            f"{one.most:.0f}",
            "met" if met(one) else "missed",
        ]
        for one in taken
    ]
    head = ["search", "searches", "ms p50 / p99 / most", "of the processor", "p99 at most", ""]
    print("\n".join(table(head, rows)))
    print(f"written and searched in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return 0 if all(map(met, taken)) else 1


def met(taken: Taken) -> bool:
    """Whether p99 is low enough, and nothing took longer than any search may."""
    return percentile(taken.wall, 0.99) <= taken.most and taken.wall[-1] <= LONGEST_MS
