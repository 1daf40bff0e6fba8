"""What was measured on, and with which versions."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from tests.devkit.bench import peers
from tests.devkit.postgres_binaries import find_binaries

OURS = ("langgraph", "langchain-core", "psycopg", "fastapi", "mangum", "awslambdaric", "pydantic")
THEIRS = {
    "floor": ("langgraph", "langgraph-checkpoint-postgres", "fastapi", "uvicorn"),
    "queues": ("procrastinate", "pgmq"),
    "aegra": ("aegra-api", "langgraph", "langgraph-checkpoint-postgres"),
}


def machine() -> dict[str, str]:
    """The machine, as far as it matters."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "postgres": postgres(),
    }


def processor() -> str:
    """Its name, where the system tells."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def postgres() -> str:
    """Its version."""
    asked = subprocess.run([find_binaries() / "postgres", "--version"], capture_output=True, text=True, check=True)
    return asked.stdout.strip().rpartition(") ")[2]


def versions() -> dict[str, dict[str, str]]:
    """What is installed, here and in each peer's environment that is ready."""
    found = {"lanekeeper": {name: _here(name) for name in OURS}}
    for peer in peers.PEERS:
        if peer.ready:
            found[peer.name] = _there(peer.python, THEIRS[peer.name])
    return found


def _here(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "-"


def _there(python: Path, names: tuple[str, ...]) -> dict[str, str]:
    code = f"import importlib.metadata as m; print(*[m.version(n) for n in {names!r}])"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return dict(zip(names, asked.stdout.split(), strict=True))
