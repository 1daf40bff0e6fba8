"""Tools that keep a conversation's values or ask for a person: written with the result, or not at all (N4)."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from lanekeeper.tools import Command, Tool, ToolContext
from lanekeeper.turn.steps import TurnSteps
from tests.integration.turn.conftest import LookInput, LookOutput, Talk
from tests.integration.turn.deaths import kill_once
from toolsets.people import tools as people

Look = Callable[[ToolContext, LookInput], Any]


async def remember(context: ToolContext, given: LookInput) -> Command[LookOutput]:
    """Tells what was kept before, and keeps what it was asked."""
    before = context.state.get("query", "nothing")
    times = context.state.get("times", 0) + 1
    return Command(LookOutput(answer=f"before: {before}"), {"query": given.query, "times": times})


REMEMBER = Tool(name="test_look", description="Looks.", input=LookInput, output=LookOutput, run=remember)


def calling(*queries: str) -> dict[str, Any]:
    return {"calls": [{"name": "test_look", "args": {"query": query}} for query in queries]}


async def state_of(talk: Talk) -> dict[str, Any]:
    [row] = await talk.rows("select agent_state from conversations where user_id = %s", talk.user_id)
    return dict(row["agent_state"])


async def results_of(talk: Talk) -> list[str]:
    *_, last = await talk.requests()
    return [message["content"] for message in last["body"]["messages"] if message["role"] == "tool"]


async def test_what_one_call_keeps_later_calls_and_turns_find(talk: Talk) -> None:
    engine = talk.new_engine(tools=[REMEMBER])
    first = await talk.say("owls")
    await talk.script(calling("owls"), calling("cats"), {"text": "So."})
    await talk.run(engine)
    await talk.say("dogs", conversation_id=first["conversation_id"])
    await talk.script(calling("dogs"), {"text": "So."})
    await talk.run(talk.new_engine(tools=[REMEMBER]))
    assert await results_of(talk) == [
        '{"answer":"before: nothing"}',
        '{"answer":"before: owls"}',
        '{"answer":"before: cats"}',
    ]
    assert await state_of(talk) == {"query": "dogs", "times": 3}


async def test_calls_of_one_answer_see_the_same_values_and_the_last_one_stays(talk: Talk) -> None:
    await talk.say("owls and cats")
    await talk.script(calling("owls", "cats", "dogs"), {"text": "So."})
    await talk.run(talk.new_engine(tools=[REMEMBER]))
    assert await results_of(talk) == ['{"answer":"before: nothing"}'] * 3
    assert await state_of(talk) == {"query": "dogs", "times": 1}


@pytest.mark.parametrize("after", [False, True])
async def test_a_turn_taken_up_again_finds_the_values_as_they_were(
    after: bool, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.say("owls")
    await talk.script(calling("owls"))
    await kill_once(talk, monkeypatch, TurnSteps, "run_tools", after=after, engine=talk.new_engine(tools=[REMEMBER]))
    assert await state_of(talk) == {}
    await talk.script({"text": "So."})
    await talk.run(talk.new_engine(tools=[REMEMBER]))
    assert await results_of(talk) == ['{"answer":"before: nothing"}']
    assert await state_of(talk) == {"query": "owls", "times": 1}


async def test_what_was_recorded_is_kept_once_however_often_a_worker_dies_after_it(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.say("owls")
    await talk.script(calling("owls"))
    await kill_once(talk, monkeypatch, TurnSteps, "act", after=True, engine=talk.new_engine(tools=[REMEMBER]))
    assert await state_of(talk) == {"query": "owls", "times": 1}
    await talk.script({"text": "So."})
    await talk.run(talk.new_engine(tools=[REMEMBER]))
    assert await state_of(talk) == {"query": "owls", "times": 1}


async def test_the_model_is_told_of_kept_values_for_each_reply_only_c5(talk: Talk) -> None:
    def reminders(state: Mapping[str, Any]) -> list[str]:
        return [f"They last asked about {state['query']}."] if "query" in state else []

    engine = talk.new_engine(tools=[REMEMBER], agent={"reminders": reminders})
    await talk.say("owls")
    await talk.script(calling("owls"), {"text": "So."})
    await talk.run(engine)
    first, second = [request["body"]["messages"] for request in await talk.requests()]
    assert "last asked" not in json.dumps(first)
    assert "They last asked about owls." in json.dumps(second[-1])
    assert second[: len(first) - 1] == first[:-1]
    assert "last asked" not in str(await talk.rows("select message from thread_messages"))


async def test_one_persons_values_are_no_other_conversations(talk: Talk) -> None:
    engine = talk.new_engine(tools=[REMEMBER])
    await talk.say("owls")
    await talk.say("cats", conversation_id="conv_other")
    for query in ("owls", "cats"):
        await talk.script(calling(query), {"text": "So."})
    await talk.run(engine)
    rows = await talk.rows("select id, agent_state from conversations order by id")
    assert {row["id"]: row["agent_state"]["times"] for row in rows} == {"conv_ana": 1, "conv_other": 1}


HANDOFF = {"calls": [{"name": "people_handoff", "args": {"reason": "Wants a person."}}]}


async def test_a_person_asked_for_is_one_open_item_with_the_reason_s1(talk: Talk) -> None:
    sent = await talk.say("let me talk to somebody")
    await talk.script(HANDOFF, HANDOFF, {"text": "The team has been asked."})
    await talk.run(talk.new_engine(tools=people()))
    [item] = await talk.rows("select * from staff_items")
    assert (item["user_id"], item["conversation_id"], item["turn_id"]) == (
        "ana",
        sent["conversation_id"],
        sent["turn_id"],
    )
    assert (item["kind"], item["state"], item["summary"]) == ("handover", "open", "Wants a person.")
    assert '"state":"asked"' in (await results_of(talk))[0]


@pytest.mark.parametrize("after", [False, True])
async def test_a_worker_that_dies_in_the_call_asks_for_one_person_s1(
    after: bool, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.say("let me talk to somebody")
    await talk.script(HANDOFF)
    engine = talk.new_engine(tools=people())
    await kill_once(talk, monkeypatch, TurnSteps, "run_tools", after=after, engine=engine)
    assert await talk.rows("select 1 from staff_items") == []
    await talk.script({"text": "The team has been asked."})
    await talk.run(talk.new_engine(tools=people()))
    assert len(await talk.rows("select 1 from staff_items")) == 1
