"""Words, steps and a tool's own progress in one stream (N7), and what a tool pays for on the turn's books (K2)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.tools import Tool, ToolContext
from tests.integration.turn.conftest import LookInput, LookOutput, Talk, kinds, text_of

Look = Callable[[ToolContext, LookInput], Any]


def looking(run: Look) -> Tool[LookInput, LookOutput]:
    return Tool(name="test_look", description="Looks.", input=LookInput, output=LookOutput, run=run)


def calling(*queries: str) -> dict[str, Any]:
    return {"text": "Let me look.", "calls": [{"name": "test_look", "args": {"query": query}} for query in queries]}


async def test_progress_stands_between_a_call_and_its_result_and_is_not_kept(talk: Talk) -> None:
    async def run(context: ToolContext, given: LookInput) -> LookOutput:
        context.progress("Reading page 1", done=1, total=2)
        await talk.until(lambda: shown(talk, "Reading page 1"))
        return LookOutput(answer="owls")

    sent = await talk.say("owls?")
    await talk.script(calling("owls"), {"text": "Found it."})
    await talk.run(talk.new_engine(tools=[looking(run)]))
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[3:-1] == [
        "start-step",
        "text-start",
        "text-end",
        "tool-input-available",
        "data-progress",
        "tool-output-available",
        "finish-step",
        "start-step",
        "text-start",
        "text-end",
        "finish-step",
    ]
    call = next(chunk for chunk in chunks if chunk["type"] == "tool-input-available")
    line = next(chunk for chunk in chunks if chunk["type"] == "data-progress")
    assert line == {
        "type": "data-progress",
        "data": {"done": 1, "total": 2, "text": "Reading page 1", "toolCallId": call["toolCallId"]},
        "transient": True,
    }
    [row] = await talk.rows("select parts from messages where role = 'assistant'")
    assert "Reading page" not in str(row["parts"])
    assert text_of(row["parts"]) == "Let me look. | Found it."
    assert "Reading page" not in str((await talk.requests())[-1]["body"])


async def test_calls_side_by_side_show_their_progress_each_at_its_own_line(talk: Talk) -> None:
    async def run(context: ToolContext, given: LookInput) -> LookOutput:
        context.progress(f"Looking for {given.query}")
        for query in ("owls", "cats"):
            await talk.until(lambda query=query: shown(talk, f"Looking for {query}"))
        return LookOutput(answer=given.query)

    sent = await talk.say("owls and cats?")
    await talk.script(calling("owls", "cats"), {"text": "Found them."})
    await talk.run(talk.new_engine(tools=[looking(run)], tool_timeout_s=10))
    chunks = await talk.chunks(sent["turn_id"])
    calls = {c["toolCallId"]: c["input"]["query"] for c in chunks if c["type"] == "tool-input-available"}
    lines = {c["data"]["toolCallId"]: c["data"]["text"] for c in chunks if c["type"] == "data-progress"}
    assert lines == {call_id: f"Looking for {query}" for call_id, query in calls.items()}


@pytest.mark.parametrize("how", ["finishes", "fails", "is too slow"])
async def test_no_progress_comes_after_a_call_is_over(how: str, talk: Talk) -> None:
    kept: list[ToolContext] = []

    async def run(context: ToolContext, given: LookInput) -> LookOutput:
        kept.append(context)
        for number in range(5):
            context.progress(f"Step {number}")
        if how == "fails":
            raise RuntimeError
        if how == "is too slow":
            await asyncio.Event().wait()
        return LookOutput(answer="done")

    sent = await talk.say("owls?")
    await talk.script(calling("owls"), {"text": "So."})
    await talk.run(talk.new_engine(tools=[looking(run)], progress_ms=100_000))
    kept[0].progress("Too late")
    chunks = await talk.chunks(sent["turn_id"])
    assert [c["data"]["text"] for c in chunks if c["type"] == "data-progress"] == ["Step 0"]
    assert (await talk.turn(sent["turn_id"]))["state"] == "done"


async def test_a_turn_stopped_while_a_tool_reports_ends_without_a_gap_in_its_stream(talk: Talk) -> None:
    async def run(context: ToolContext, given: LookInput) -> LookOutput:
        for number in range(10_000):
            context.progress(f"Step {number}")
            await asyncio.sleep(0.001)
        raise AssertionError

    sent = await talk.say("owls?")
    await talk.script(calling("owls"))
    running = asyncio.create_task(talk.run(talk.new_engine(tools=[looking(run)], progress_ms=1, tool_timeout_s=60)))
    await talk.until(lambda: shown(talk, "Step 0"))
    await talk.superuser.execute("update lanes set stop_turn_id = turn_id")
    await running
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[-3:] == ["tool-output-error", "finish-step", "abort"]


@pytest.mark.parametrize("failing", [False, True])
async def test_what_a_tool_pays_for_is_a_cost_of_the_turn_k2(failing: bool, talk: Talk) -> None:
    async def run(context: ToolContext, given: LookInput) -> LookOutput:
        async with context.paid("web_search", "search", 8000):
            if failing:
                raise RuntimeError
        return LookOutput(answer="owls")

    sent = await talk.say("owls?")
    await talk.script(calling("owls", "cats"), {"text": "Found them."})
    await talk.run(talk.new_engine(tools=[looking(run)]))
    rows = await talk.rows("select * from costs where feature = 'web_search'")
    assert {(row["user_id"], row["turn_id"], row["model"], row["micros"], row["status"]) for row in rows} == {
        ("ana", sent["turn_id"], "search", 8000, "failed" if failing else "exact")
    }
    assert len(rows) == 2


async def shown(talk: Talk, text: str) -> bool:
    return bool(await talk.rows("select 1 from reply_chunks where chunk -> 'data' ->> 'text' = %s", text))
