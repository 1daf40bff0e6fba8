"""The SAM command line in an environment of its own, and the Python that Lambda runs."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".sam-venv"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
VERSION = "3.13"


class MissingError(RuntimeError):
    """Something that packaging needs is not on this machine. The message says how it is installed."""


class Sam:
    """The pinned SAM command line. Made once, anew when its lock file changed.

    Raises:
        MissingError: there is no Python of Lambda's version, or no make.
    """

    def __init__(self) -> None:
        self.python = find_python()
        if not shutil.which("make"):
            raise MissingError("`sam build` needs make: `apt-get install make`, or `xcode-select --install`")
        with locked():
            self._prepare()

    def _prepare(self) -> None:
        stamp, wanted = HOME / "requirements.sha256", hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == wanted:
            return
        shutil.rmtree(HOME, ignore_errors=True)
        run([self.python, "-m", "venv", HOME])
        run([HOME / "bin/pip", "install", "--quiet", "--require-hashes", "--requirement", REQUIREMENTS])
        stamp.write_text(wanted)

    def __call__(self, *arguments: str | Path, **environment: str) -> str:
        """Run ``sam``; what it said.

        Raises:
            AssertionError: it failed.
        """
        # The exact interpreter stands first, since a version manager's shim of the same name may refuse.
        path = os.pathsep.join([str(HOME / "bin"), str(self.python.parent), os.environ["PATH"]])
        settings = {"SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "eu-central-1", "PATH": path}
        return run([HOME / "bin/sam", *arguments], **settings, **environment)

    def translate(self, **overrides: Any) -> dict[str, Any]:
        """The template as CloudFormation receives it. ``overrides`` are top-level properties of functions by id."""
        script = Path(__file__).with_name("translate.py")
        text = run([HOME / "bin/python", script, ROOT / "template.yaml", json.dumps(overrides)], AWS_DEFAULT_REGION="x")
        translated: dict[str, Any] = json.loads(text)
        return translated

    def runtime_client(self, folder: Path) -> Path:
        """Lambda's own runtime client and what it needs, and nothing else of this environment, in a folder."""
        site = HOME / "lib" / f"python{VERSION}" / "site-packages"
        for pattern in ("awslambdaric", "runtime_client*.so", "simplejson", "snapshot_restore_py"):
            for path in site.glob(pattern):
                (folder / path.name).symlink_to(path)
        return folder


def find_python() -> Path:
    """The interpreter of Lambda's version.

    Raises:
        MissingError: there is none.
    """
    candidates = [sys.executable, shutil.which(f"python{VERSION}")]
    if pyenv := shutil.which("pyenv"):
        prefix = subprocess.run([pyenv, "prefix", VERSION], capture_output=True, text=True).stdout.strip()
        candidates.insert(1, f"{prefix}/bin/python{VERSION}")
    for candidate in candidates:
        if candidate and Path(candidate).exists():
            asked = subprocess.run([candidate, "-c", ASK], capture_output=True, text=True)
            version, _, executable = asked.stdout.strip().partition(" ")
            if version == VERSION:
                return Path(executable)
    raise MissingError(f"Lambda runs Python {VERSION}, which is not here: `pyenv install {VERSION}`")


# The real interpreter, not the virtual environment's link to it.
ASK = (
    "import sys; from pathlib import Path; version = '%d.%d' % sys.version_info[:2];"
    "print(version, Path(sys.base_prefix) / 'bin' / ('python' + version))"
)


@contextmanager
def locked() -> Iterator[None]:
    """One process at a time makes or builds anything."""
    path = ROOT / ".aws-sam" / "lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(command: list[str | Path], **environment: str) -> str:
    """Run a command in the project's folder; its standard output.

    Raises:
        AssertionError: it failed; the message holds what it said.
    """
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command[0]} failed\n{done.stdout}\n{done.stderr}"
    return done.stdout
