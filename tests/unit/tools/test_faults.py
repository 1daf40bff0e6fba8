"""Faults at the edges of a call: what a tool waits for, and what a result may hold (N5, O3, O4)."""

import asyncio
import dataclasses
import json
from typing import Any

import pytest

from lanekeeper.errors import LaneLostError
from lanekeeper.tools import ToolContext, ToolFailure, ToolOutput
from tests.unit.tools.toys import CONTEXT, GOOD, LIMITS, NoteInput, NoteOutput, call, note_tool, toolset


class AnyOutput(ToolOutput):
    value: Any


async def test_something_that_a_tool_waited_for_being_cancelled_does_not_cancel_the_turn_b010():
    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        inner = asyncio.ensure_future(asyncio.Event().wait())
        asyncio.get_running_loop().call_soon(inner.cancel)
        await inner
        raise AssertionError

    outcomes = await toolset(note_tool(run), note_tool(name="note_other")).call_all(
        [call(), call(name="note_other", call_id="c2")], CONTEXT
    )
    assert [outcome.is_error for outcome in outcomes] == [True, False]
    assert "fault on our side" in outcomes[0].content
    assert "Cancelled" not in outcomes[0].content


async def test_one_call_that_fails_stops_none_of_the_others_n9():
    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        if given.title == "bad":
            raise RuntimeError
        for _ in range(5):
            await asyncio.sleep(0)
        return NoteOutput(text=given.title)

    calls = [call({"title": title, "kind": "fact"}, call_id=title) for title in ("one", "bad", "three")]
    outcomes = await toolset(note_tool(run)).call_all(calls, CONTEXT)
    assert [(outcome.call_id, outcome.is_error) for outcome in outcomes] == [
        ("one", False),
        ("bad", True),
        ("three", False),
    ]


async def test_a_cancelled_turn_closes_every_call_those_that_wait_included_n9_b010():
    begun, ended = asyncio.Event(), []

    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(context.call_id)
        raise AssertionError

    two = dataclasses.replace(LIMITS, tool_concurrency=2)
    calls = [call(call_id=f"c{n}") for n in range(5)]
    task = asyncio.create_task(toolset(note_tool(run), limits=two).call_all(calls, CONTEXT))
    await begun.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == ["c0", "c1"]


@pytest.mark.parametrize(("effects", "in_doubt"), [("read", False), ("write", True), ("irreversible", True)])
@pytest.mark.parametrize("how", ["breaks", "hangs"])
async def test_a_write_that_failed_in_the_middle_is_said_to_be_in_doubt_o4(how: str, effects: str, in_doubt: bool):
    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        if how == "breaks":
            raise RuntimeError
        await asyncio.Event().wait()
        raise AssertionError

    outcome = await toolset(note_tool(run, effects=effects, timeout_s=0.01)).call(call(), CONTEXT)
    assert ("It may have been done or not" in outcome.content) is in_doubt


async def test_a_lost_lane_leaves_no_call_running():
    ended = []

    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        if given.title == "lost":
            await asyncio.sleep(0)
            raise LaneLostError
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(context.call_id)
        raise AssertionError

    calls = [call({"title": title, "kind": "fact"}, call_id=title) for title in ("one", "lost", "three")]
    with pytest.raises(LaneLostError):
        await toolset(note_tool(run)).call_all(calls, CONTEXT)
    assert sorted(ended) == ["one", "three"]


@pytest.mark.parametrize("value", [float("nan"), [float("inf")]])
async def test_what_json_cannot_say_is_a_fault_of_the_tool_and_not_of_the_turn_o3(value: Any):
    async def run(context: ToolContext, given: NoteInput) -> AnyOutput:
        return AnyOutput(value=value)

    outcome = await toolset(note_tool(run, output=AnyOutput)).call(call(), CONTEXT)
    assert outcome.is_error
    assert "fault on our side" in outcome.content


async def test_a_result_can_be_stored_whatever_a_vendor_put_into_it():
    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        return NoteOutput.model_construct(text="a\0b \ud83d", items=["\udc00"], link=None)

    outcome = await toolset(note_tool(run)).call(call(), CONTEXT)
    assert json.loads(outcome.content) == outcome.output
    json.dumps(outcome.output, ensure_ascii=False).encode()
    assert "\0" not in outcome.output["text"]


async def test_a_failure_is_as_short_as_a_result_o6():
    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        raise ToolFailure("word " * 5000, "Stop.")

    outcome = await toolset(note_tool(run)).call(call(), CONTEXT)
    assert len(outcome.content.encode()) <= LIMITS.result_bytes
    made_up = await toolset().call(call({**GOOD, "x" * 100_000: 1}), CONTEXT)
    assert len(made_up.content.encode()) <= LIMITS.result_bytes
