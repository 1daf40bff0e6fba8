"""The strict validator of the shared folder. A clone without that folder says so and goes on."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.devkit import sdk

ROOT = Path(__file__).parents[3]
VALIDATOR = Path(os.environ.get("SHARED_DIR") or ROOT.parent / "shared") / "tools" / "ui-stream"

needs_validator = pytest.mark.skipif(
    not (VALIDATOR / "validate.mjs").exists(),
    reason=f"no validator at {VALIDATOR} (SHARED_DIR names another place); the players on npm ai run all the same",
)


async def validate(folder: Path, first: bytes, *options: str, **files: bytes) -> None:
    """Have a capture, as ``curl -i`` prints it, judged by every rule. ``files`` are captures given to options."""
    arguments = ["--sdk", "5,6,7", *options]
    for name, content in {**files, "first": first}.items():
        (folder / f"{name}.http").write_bytes(content)
        arguments += [f"--{name}"] if name != "first" else []
        arguments.append(str(folder / f"{name}.http"))
    done = await asyncio.to_thread(sdk.run_node, "validate.mjs", *arguments, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
