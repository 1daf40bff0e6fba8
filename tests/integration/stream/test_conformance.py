"""Captures of the stream pass the strict validator, live and retold."""

from pathlib import Path

import pytest

from tests.integration.stream.author import (
    ABORT,
    ANSWER,
    SOURCE,
    STEP,
    STEP_END,
    Author,
    Turn,
    progress,
    reasoning,
    search,
    text,
)
from tests.integration.stream.conftest import OpenTab
from tests.integration.stream.tab import Tab
from tests.integration.stream.validator import needs_validator, validate
from tests.unit.stream.test_rules import UNRULY

pytestmark = needs_validator


async def capture(tab: Tab) -> bytes:
    """The whole answer as ``curl -i`` prints it."""
    async with tab:
        await tab.to_end()
    head = "".join(f"{name}: {value}\r\n" for name, value in tab.headers.items())
    return f"HTTP/1.1 {tab.status} OK\r\n{head}\r\n".encode() + tab.raw


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


async def test_thoughts_and_progress_keep_every_strict_rule_live_and_retold(
    author: Author, open_tab: OpenTab, validator: Path
) -> None:
    turn = await author.turn()
    await turn.begin()
    call, result = search()
    await turn.say(STEP, *reasoning("reasoning-1", "They ask ", "of tides."), call, progress("Reading", done=1), result)
    await turn.say(STEP_END, STEP, *reasoning("reasoning-2", "So."), *text("text-1", "Twice a day."), STEP_END)
    await turn.end()
    await validate(validator, await capture(open_tab(turn.path, turn.query)), "--expect", "finish")
    await turn.sweep()
    await validate(validator, await capture(open_tab(turn.path, turn.query)), "--expect", "finish")


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
