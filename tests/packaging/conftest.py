"""The SAM command line, and one build for all tests of a run."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.cloudformation import Stack
from tests.packaging.sam import ROOT, Sam, locked, run

BUILD = ROOT / ".aws-sam" / "build"


@dataclass(frozen=True)
class Built:
    """The packages that would be sent to AWS, and the dependencies once more for this machine's processor."""

    sam: Sam
    folder: Path
    dependencies_here: Path

    def packages(self, function: str) -> list[Path]:
        """A function's folders, as Lambda would mount them, in the order of its path."""
        layers = [self.folder / layer / "python" for layer in ("LanekeeperLayer", "AgentsLayer")]
        return [self.folder / function, *layers, self.dependencies_here / "python"]


@pytest.fixture(scope="session")
def sam() -> Sam:
    return Sam()


@pytest.fixture(scope="session")
def translated(sam: Sam) -> dict[str, Any]:
    return sam.translate()


@pytest.fixture
def production(translated: dict[str, Any]) -> Stack:
    return Stack(translated)


@pytest.fixture(scope="session")
def built(sam: Sam) -> Built:
    """Built once for all test processes of a run."""
    machine = {"aarch64": "arm64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    here = BUILD / "DependenciesLayer" if machine == "arm64" else BUILD.with_name(f"dependencies-{machine}")
    run_id = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    with locked():
        stamp = BUILD.with_name("built-by")
        if not (stamp.exists() and stamp.read_text() == run_id):
            build(sam, machine, here)
            stamp.write_text(run_id)
    return Built(sam, BUILD, here)


def build(sam: Sam, machine: str, here: Path) -> None:
    sam("build", "--config-env", "staging")
    if machine != "arm64":
        run(["rm", "-rf", here])
        run(
            ["make", "--silent", "build-DependenciesLayer"],
            ARTIFACTS_DIR=str(here),
            ARCHITECTURE=machine,
            PYTHON=str(sam.python),
        )
