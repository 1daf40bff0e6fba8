"""Broken files never break their reader: a plain reason for each, in bounded memory and time (D3, D4, B077)."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from lanekeeper.uploads.rules import lines
from tests.devkit.broken_files import WHOLE, broken

ROOT = Path(__file__).resolve().parents[3]


def read_many(kind: str, first: int, count: int) -> Counter[str]:
    """What became of so many files, all of them read by one process under the memory limit of one file."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.devkit.broken_files", kind, str(first), str(count)],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'layers/lanekeeper'}"},
        capture_output=True,
        text=True,
        timeout=10 * count,
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-200:], done.stderr[-2000:])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["seed"] for one in told] == list(range(first, first + count))
    return Counter(one["told"] for one in told)


@pytest.mark.parametrize("kind", sorted(WHOLE))
def test_b077_no_broken_file_breaks_its_reader(kind: str) -> None:
    told = read_many(kind, 0, 120)
    assert set(told) <= {*lines(), "text", "picture"}
    # Some are broken for good and some are still readable, or nothing was tried.
    assert told["broken"] > 0
    assert told["text"] + told["picture"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(WHOLE))
@pytest.mark.parametrize("first", range(1000, 11_000, 1000))
def test_thousands_of_broken_files_break_no_reader(kind: str, first: int) -> None:
    assert set(read_many(kind, first, 1000)) <= {*lines(), "text", "picture"}


def test_a_seed_gives_the_same_file_everywhere() -> None:
    assert broken("png", 7) == broken("png", 7) != broken("png", 8)
