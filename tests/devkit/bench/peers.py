"""The peers: others' ways to do the same work, each in an environment of its own under ``.local/bench``."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HOME = ROOT / ".local" / "bench"
SCRIPTS = Path(__file__).with_name("scripts")
SHIPPED = ROOT / "layers" / "dependencies" / "requirements.txt"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Peer:
    """An environment: what it holds, and the oldest and first too new Python that it takes."""

    name: str
    what: str
    packages: tuple[str, ...]
    shipped: bool = False
    least: tuple[int, int] = (3, 11)

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return HOME / self.name / "bin" / "python"

    @property
    def ready(self) -> bool:
        """Whether it was installed as it stands here."""
        stamp = HOME / self.name / "ready"
        return stamp.exists() and stamp.read_text(encoding="utf-8") == self._mark()

    def install(self, say: Say) -> bool:
        """Make the environment; False, said in one line, when it cannot be had."""
        if self.ready:
            return True
        base = _interpreter(self.least)
        if base is None:
            say(f"{self.what}: left out, needs Python {'.'.join(map(str, self.least))} or newer on this machine")
            return False
        say(f"{self.what}: installing into {self.python.parents[1].relative_to(ROOT)}")
        shutil.rmtree(HOME / self.name, ignore_errors=True)
        pip: list[str | Path] = [self.python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        steps: list[list[str | Path]] = [[base, "-m", "venv", HOME / self.name]]
        if self.shipped:
            steps.append([*pip, "--require-hashes", "-r", SHIPPED])
        steps.append([*pip, *self.packages])
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1]
                say(f"{self.what}: left out, not installable here ({reason})")
                return False
        (HOME / self.name / "ready").write_text(self._mark(), encoding="utf-8")
        return True

    def _mark(self) -> str:
        text = repr((self.packages, self.least, SHIPPED.read_text(encoding="utf-8") if self.shipped else ""))
        return hashlib.sha256(text.encode()).hexdigest()


FLOOR = Peer(
    "floor",
    "the floor (FastAPI, LangGraph and AsyncPostgresSaver, no queue)",
    ("langgraph-checkpoint-postgres==3.2.0", "psycopg-pool==3.3.3", "uvicorn==0.54.0"),
    shipped=True,
)
QUEUES = Peer("queues", "procrastinate and pgmq", ("procrastinate==3.10.0", "pgmq==1.1.4", "psycopg[binary]==3.3.9"))
AEGRA = Peer("aegra", "Aegra", ("aegra-api==0.11.0",), least=(3, 12))
PEERS = (FLOOR, QUEUES, AEGRA)


def _interpreter(least: tuple[int, int]) -> str | None:
    """A Python of at least this version: this one, or one found beside it."""
    if sys.version_info >= least:
        return sys.executable
    for minor in range(least[1], least[1] + 3):
        for found in _found(f"{least[0]}.{minor}"):
            probe = subprocess.run([found, "-c", "import venv, ensurepip"], capture_output=True, check=False)
            if probe.returncode == 0:
                return found
    return None


def _found(version: str) -> list[str]:
    names = [shutil.which(f"python{version}")]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    names += [str(path) for path in sorted(pyenv.glob(f"{version}*/bin/python"))]
    return [name for name in names if name]
