"""The rule book: every rule with its state, home and tests. ``python3 run.py rules`` prints it."""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "tests" / "rulebook.toml"

# How many rows each letter of the ledger has. A row that vanished from the book is found by counting.
LEDGER = {
    "A": 4, "T": 5, "D": 7, "C": 5, "W": 5, "R": 3, "O": 10, "E": 6, "S": 4, "V": 4, "K": 3, "Q": 5,
    "B": 11, "L": 8, "N": 9, "P": 6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the ledger, or one failure from the field.

    ``home`` is a path from the root; ``tests`` are ``path::name``, or a path alone where a whole file is the proof.
    """

    id: str
    title: str
    state: str
    must: str = "-"
    topic: str = ""
    home: str = ""
    tests: list[str] = field(default_factory=list)

    def faults(self) -> Iterator[str]:
        """What the row claims and cannot show."""
        if self.state not in {"open", "done"}:
            yield f"{self.id}: state is {self.state!r}, not open or done"
        if self.state == "done" and not self.tests:
            yield f"{self.id}: done without a test"
        if self.state == "done" and not self.topic and not self.home:
            yield f"{self.id}: done without a home"
        if self.home and not (ROOT / self.home).exists():
            yield f"{self.id}: no such home, {self.home}"
        for test in self.tests:
            path, _, name = test.partition("::")
            if not (ROOT / path).is_file():
                yield f"{self.id}: no such test file, {path}"
            elif name and name not in names_in(ROOT / path):
                yield f"{self.id}: {path} has no test {name}"


_FUNCTION = re.compile(r"^\s*(?:async )?def (\w+)", re.MULTILINE)


@cache
def names_in(path: Path) -> frozenset[str]:
    """The functions of a Python file, or the test titles of a TypeScript one."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return frozenset(piece for quote in "'\"`" for piece in text.split(quote))
    return frozenset(_FUNCTION.findall(text))


def read() -> tuple[list[Rule], list[Rule]]:
    """The ledger's rules and the field's failures, in the order of the book."""
    book = tomllib.loads(BOOK.read_text(encoding="utf-8"))
    rules = [Rule(id=key, **row) for key, row in book["rules"].items()]
    failures = [Rule(id=key, **row) for key, row in book["failures"].items()]
    return rules, failures


def table(rows: list[Rule]) -> str:
    """The rows as text, one line each."""
    lines = [f"{row.id:5}{row.must if not row.topic else row.topic:4}{row.state:6}{row.title}" for row in rows]
    for position, row in enumerate(rows):
        proof = [part for part in (row.home, *row.tests) if part]
        if proof:
            lines[position] += "".join(f"\n{'':15}{part}" for part in proof)
    return "\n".join(lines)


def main() -> None:
    """Print the book; leave with 1 when it claims what it cannot show."""
    parser = argparse.ArgumentParser(prog="run.py rules", description=__doc__)
    parser.add_argument("--open", action="store_true", help="only what is not done yet")
    chosen = parser.parse_args()
    rules, failures = read()
    for title, rows in (("Rules", rules), ("Failures from the field", failures)):
        done = sum(row.state == "done" for row in rows)
        print(f"{title}: {done} done, {len(rows) - done} open")
        print(table([row for row in rows if row.state == "open" or not chosen.open]), end="\n\n")
    faults = [fault for row in (*rules, *failures) for fault in row.faults()]
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
