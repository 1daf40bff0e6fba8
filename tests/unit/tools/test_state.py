"""Tools that read what a conversation holds and keep values for later calls (N4)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.tools import Command, Outcome, ToolContext, ToolFailure, TransientError, state_after
from tests.unit.tools.toys import CONTEXT, LIMITS, NoteInput, NoteOutput, call, note_tool, toolset


def keeping(**update: Any) -> Any:
    async def run(context: ToolContext, given: NoteInput) -> Command[NoteOutput]:
        return Command(NoteOutput(text="kept"), update)

    return note_tool(run)


async def outcome_of(update: dict[str, Any], state: dict[str, Any] | None = None, limits: Limits = LIMITS) -> Outcome:
    context = ToolContext(
        user_id="ana",
        conversation_id="conv_1",
        turn_id="turn_1",
        timezone="Europe/Madrid",
        now=CONTEXT.now,
        state=state or {},
    )
    return await toolset(keeping(**update), limits=limits).call(call(), context)


async def test_a_tool_keeps_values_beside_its_result_and_the_model_is_not_told():
    outcome = await outcome_of({"city": "Oslo", "people": 2})
    assert outcome.update == {"city": "Oslo", "people": 2}
    assert outcome.content == '{"text":"kept","items":[]}'
    assert "city" not in str(outcome.output)
    assert state_after({"city": "Rome", "day": "Monday"}, [outcome.message()]) == {
        "city": "Oslo",
        "day": "Monday",
        "people": 2,
    }


async def test_none_takes_a_value_away():
    outcome = await outcome_of({"city": None})
    assert state_after({"city": "Rome", "day": "Monday"}, [outcome.message()]) == {"day": "Monday"}


async def test_of_two_calls_that_keep_the_same_value_the_later_one_stays():
    first, second = await outcome_of({"city": "Oslo"}), await outcome_of({"city": "Bergen"})
    assert state_after({}, [first.message(), second.message()]) == {"city": "Bergen"}


async def test_a_tool_reads_what_was_kept_and_which_call_it_is():
    seen: list[ToolContext] = []

    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        seen.append(context)
        return NoteOutput(text=context.state["city"])

    context = ToolContext(
        user_id="ana",
        conversation_id="conv_1",
        turn_id="turn_1",
        timezone="Europe/Madrid",
        now=CONTEXT.now,
        state={"city": "Oslo"},
    )
    outcomes = await toolset(note_tool(run)).call_all([call(call_id="c1"), call(call_id="c2")], context)
    assert [outcome.output["text"] for outcome in outcomes] == ["Oslo", "Oslo"]
    assert [one.call_id for one in seen] == ["c1", "c2"]


@pytest.mark.parametrize("update", [{"when": object()}, {"much": float("inf")}, {"long": "x" * 5000}])
async def test_what_cannot_be_kept_fails_the_call_and_nothing_else(update: dict[str, Any]):
    outcome = await outcome_of(update)
    assert outcome.is_error
    assert "fault on our side" in outcome.content
    assert state_after({"city": "Rome"}, [outcome.message()]) == {"city": "Rome"}


async def test_the_limit_holds_for_all_that_is_kept_together():
    state = {"notes": "x" * 4000}
    assert (await outcome_of({"more": "y" * 200}, state)).is_error
    assert not (await outcome_of({"notes": "short", "more": "y" * 200}, state)).is_error


@pytest.mark.parametrize("writes", [False, True])
async def test_the_limit_holds_for_the_calls_of_one_answer_together(writes: bool):
    async def run(context: ToolContext, given: NoteInput) -> Command[NoteOutput]:
        # The first one asked for is the last one done.
        await asyncio.sleep(0.01 if context.call_id == "c1" else 0)
        return Command(NoteOutput(text="kept"), {context.call_id: "x" * 1500})

    tools = toolset(note_tool(run, effects="write" if writes else "read"))
    calls = [call(call_id=name) for name in ("c1", "c2", "c3")]
    outcomes = await tools.call_all(calls, CONTEXT)
    assert [outcome.is_error for outcome in outcomes].count(True) == 1
    after = state_after({}, [outcome.message() for outcome in outcomes])
    assert len(after) == 2
    # The batches of one answer that run after one another count together as well.
    context = replace(CONTEXT, keeping=tools.keeping({}, calls))
    alone = [(await tools.call_all([one], context))[0].is_error for one in calls]
    assert alone == [False, False, True]


async def test_the_limit_counts_what_stays_in_the_order_of_the_calls():
    kept = {"c1": {"a": "x"}, "c2": {"a": "x" * 3000}, "c3": {"b": "y" * 3000}}

    async def run(context: ToolContext, given: NoteInput) -> Command[NoteOutput]:
        # The second call's value is the one that stays, though the first one comes to its end after it.
        await asyncio.sleep({"c1": 0.01, "c2": 0, "c3": 0.02}[context.call_id])
        return Command(NoteOutput(text="kept"), kept[context.call_id])

    outcomes = await toolset(note_tool(run)).call_all([call(call_id=name) for name in kept], CONTEXT)
    assert [outcome.is_error for outcome in outcomes] == [False, False, True]


async def test_a_call_that_keeps_nothing_works_where_too_much_is_kept_already():
    assert not (await outcome_of({}, {"notes": "x" * 5000})).is_error


async def test_a_failed_try_keeps_nothing():
    tries = []

    async def run(context: ToolContext, given: NoteInput) -> Command[NoteOutput]:
        tries.append(given)
        if len(tries) == 1:
            raise TransientError
        return Command(NoteOutput(text="kept"), {"tries": len(tries)})

    async def refuse(context: ToolContext, given: NoteInput) -> Command[NoteOutput]:
        raise ToolFailure("No.", "Stop.")

    assert (await toolset(note_tool(run)).call(call(), CONTEXT)).update == {"tries": 2}
    assert (await toolset(note_tool(refuse)).call(call(), CONTEXT)).update == {}


async def test_half_a_surrogate_pair_is_never_kept():
    outcome = await outcome_of({"name": "Zo\ud83d", "b": 1.0})
    assert outcome.update == {"b": 1, "name": "Zo\ufffd"}
