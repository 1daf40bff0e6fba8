"""Captures pass the strict validator of the shared folder. A clone without that folder says so and goes on."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.devkit import sdk
from tests.integration.stream.author import ABORT, ANSWER, SOURCE, STEP, STEP_END, Author, Turn, search, text
from tests.integration.stream.conftest import OpenTab
from tests.integration.stream.tab import Tab
from tests.unit.stream.test_rules import UNRULY

ROOT = Path(__file__).parents[3]
VALIDATOR = Path(os.environ.get("SHARED_DIR") or ROOT.parent / "shared") / "tools" / "ui-stream"

pytestmark = pytest.mark.skipif(
    not (VALIDATOR / "validate.mjs").exists(), reason=f"no validator at {VALIDATOR}; SHARED_DIR names another place"
)


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy that may be installed into: the shared folder is only read."""
    folder = tmp_path_factory.mktemp("validator") / "ui-stream"
    shutil.copytree(VALIDATOR, folder, ignore=shutil.ignore_patterns("node_modules", "captures", "test"))
    sdk.install(folder)
    return folder


async def capture(tab: Tab) -> bytes:
    """The whole answer as ``curl -i`` prints it."""
    async with tab:
        await tab.to_end()
    head = "".join(f"{name}: {value}\r\n" for name, value in tab.headers.items())
    return f"HTTP/1.1 {tab.status} OK\r\n{head}\r\n".encode() + tab.raw


async def validate(folder: Path, first: bytes, *options: str, **files: bytes) -> None:
    arguments = ["--sdk", "5,6,7", *options]
    for name, content in {**files, "first": first}.items():
        (folder / f"{name}.http").write_bytes(content)
        arguments += [f"--{name}"] if name != "first" else []
        arguments.append(str(folder / f"{name}.http"))
    done = await asyncio.to_thread(sdk.run_node, "validate.mjs", *arguments, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr


async def ended(turn: Turn, state: str) -> None:
    await turn.begin()
    if state == "done":
        await turn.say(*ANSWER, STEP, *search("call-2", errorText="Down."), *text("text-3", UNRULY), SOURCE, STEP_END)
        await turn.end()
    elif state == "failed":
        await turn.say(STEP, *text("text-1", "It all be"), *text("line", "I could not finish this."), STEP_END)
        await turn.end("failed")
    else:
        await turn.say(STEP, *text("text-1", "It all be"), STEP_END)
        await turn.end("stopped", ABORT)


@pytest.mark.parametrize("state", ["done", "failed", "stopped"])
async def test_a_turn_keeps_every_strict_rule_live_and_retold(
    state: str, author: Author, open_tab: OpenTab, validator: Path
) -> None:
    turn = await author.turn()
    await ended(turn, state)
    expected = ["--expect", "abort" if state == "stopped" else "finish"]
    await validate(validator, await capture(open_tab(turn.path, turn.query)), *expected)
    await turn.sweep()
    await validate(validator, await capture(open_tab(turn.path, turn.query)), *expected)


async def test_a_cut_stream_resumed_shows_the_unbroken_reply(
    author: Author, open_tab: OpenTab, validator: Path
) -> None:
    turn = await author.turn()
    await ended(turn, "done")
    whole = await capture(open_tab(turn.path, turn.query))
    cut = whole[: whole.index(b"id: 12\n")]
    await validate(validator, cut, "--sdk", "6,7", resume=whole, full=whole)
