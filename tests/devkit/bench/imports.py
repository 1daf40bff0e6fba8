"""How long each function's code takes to import in a fresh process, bytecode compiled, files in the page cache."""

import compileall
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from tests.devkit.bench.figures import Figures, short

ROOT = Path(__file__).resolve().parents[3]
FUNCTIONS = ("accept", "stream", "worker", "maintenance", "migrate")
HEAVY = ("langgraph", "langchain_core", "langsmith", "openai", "boto3")

# Code that runs in the fresh process: import what the handler imports, without starting what it starts.
PROBE = """
import json, resource, sys, time
began, cpu = time.perf_counter(), time.process_time()
import importlib
importlib.import_module("lanekeeper.wiring.{function}")
print(json.dumps({{
    "wall_ms": (time.perf_counter() - began) * 1e3,
    "cpu_ms": (time.process_time() - cpu) * 1e3,
    "modules": len(sys.modules),
    "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "heavy": [name for name in {heavy} if name in sys.modules],
}}))
"""


def measure(runs: int) -> dict[str, Figures]:
    """Medians over fresh processes, one function after the other in each round."""
    compileall.compile_dir(ROOT / "layers", quiet=2)
    taken: dict[str, list[Figures]] = {name: [] for name in FUNCTIONS if _wired(name)}
    for _ in range(runs + 1):
        for name, figures in taken.items():
            figures.append(_probe(name))
    return {
        name: {
            "cpu_ms": short(statistics.median(run["cpu_ms"] for run in figures[1:])),
            "wall_ms": short(statistics.median(run["wall_ms"] for run in figures[1:])),
            "modules": figures[1]["modules"],
            "mb": short(statistics.median(run["mb"] for run in figures[1:])),
            "heavy": figures[1]["heavy"],
        }
        for name, figures in taken.items()
    }


def _wired(function: str) -> bool:
    return (ROOT / "layers" / "lanekeeper" / "lanekeeper" / "wiring" / f"{function}.py").exists()


def _probe(function: str) -> Figures:
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPATH": os.pathsep.join([str(ROOT / "layers" / "lanekeeper"), str(ROOT / "layers" / "agents")]),
    }
    code = PROBE.format(function=function, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{function}: {done.stderr.strip().splitlines()[-1]}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures
