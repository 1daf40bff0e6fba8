"""docs/failures.md names a test for each row about memory, and tells how a person's hash is made."""

import re
import subprocess
from pathlib import Path

import pytest

from lanekeeper.redact import hashed

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "failures.md").read_text(encoding="utf-8")
_, _, MEMORY = PAGE.partition("\n## Memory and summaries\n")
ROWS = [line for line in MEMORY.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_each_row_about_memory_names_a_test_there_is(row: str) -> None:
    [(path, name)] = re.findall(r"`([\w/]+\.py)::(\w+)`", row)
    assert f"def {name}(" in (ROOT / "tests" / "integration" / path).read_text(encoding="utf-8")


def test_there_are_rows_about_memory() -> None:
    assert len(ROWS) > 10


def test_the_command_on_the_page_makes_the_hash_that_logs_have() -> None:
    [command] = re.findall(r"^printf 'lanekeeper:.*$", PAGE, re.MULTILINE)
    made = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == hashed("ana")
