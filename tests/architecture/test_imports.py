"""Imports run only downward: the contracts stand in pyproject.toml."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_import_contract_is_kept() -> None:
    path = os.pathsep.join([str(ROOT / "layers" / "lanekeeper"), str(ROOT / "layers" / "agents")])
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    checked = subprocess.run(
        [sys.executable, "-c", command, "--cache-dir", str(ROOT / ".import_linter_cache")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
