"""When the model or a tool fails, or the person stops it: one honest line, valid history (T5, E6, A3)."""

import asyncio

import pytest

from lanekeeper.lines import HONEST_LINE
from lanekeeper.turn.closing import NOT_COMPLETED
from tests.integration.turn.conftest import Talk, kinds
from tests.integration.turn.reading import TERMINAL, is_valid_history, shown_text

SEARCH = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}


async def test_a_failed_call_is_tried_once_more_without_a_word(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"error": 503}, {"text": "Hello."})
    await talk.run()
    assert await talk.history() == [("user", "hello"), ("assistant", "Hello.")]
    costs = await talk.rows("select status from costs where feature = 'chat'")
    assert sorted(row["status"] for row in costs) == ["exact", "failed"]


@pytest.mark.parametrize("error", [500, 503, 429, "timeout", "cut"])
async def test_b031_a_second_failure_ends_with_one_honest_line(talk: Talk, error: object) -> None:
    sent = await talk.say("hello")
    await talk.script({"error": error, "text": "one two three four five"}, {"error": error, "text": "one two three"})
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert [chunk["type"] for chunk in chunks if chunk["type"] in TERMINAL] == ["finish"]
    assert chunks[-1]["finishReason"] == "error"
    assert shown_text(chunks)[-1] == HONEST_LINE.en
    history = await talk.history()
    assert history[1] == ("assistant", " | ".join(shown_text(chunks)))
    assert (await talk.turn(sent["turn_id"]))["state"] == "failed"
    assert await talk.rows("select state from inbox") == [{"state": "failed"}]
    assert len(await talk.requests()) == 2
    assert len(await talk.rows("select * from limit_hits")) == 1


async def test_a_reply_cut_after_its_first_words_goes_on_from_there(talk: Talk) -> None:
    sent = await talk.say("hello")
    text = "The train leaves at noon from platform four."
    await talk.script({"error": "cut", "text": text, "token_delay_ms": 5}, {"text": text})
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert shown_text(chunks) == [text]
    assert await talk.history() == [("user", "hello"), ("assistant", text)]


async def test_after_a_failure_the_next_message_works(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"error": 500}, {"error": 500})
    await talk.run()
    await talk.say("again")
    await talk.script({"text": "Here I am."})
    await talk.run()
    assert (await talk.history())[-1] == ("assistant", "Here I am.")
    assert is_valid_history((await talk.requests())[-1]["body"]["messages"])


async def test_b033_a_tool_that_fails_or_takes_too_long_gets_an_outcome(talk: Talk) -> None:
    sent = await talk.say("hello")
    calls = [{"name": "test_look", "args": {"query": query}} for query in ("fail", "slow")]
    await talk.script({"calls": calls}, {"text": "That did not work."})
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks).count("tool-output-error") == 2
    assert await talk.history() == [("user", "hello"), ("assistant", "That did not work.")]


async def test_an_unknown_tool_and_wrong_arguments_are_answered_in_plain_words(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script(
        {"calls": [{"name": "no_such", "args": {}}, {"name": "test_look", "args": {"query": "x", "user_id": "ben"}}]},
        {"text": "Sorry."},
    )
    await talk.run()
    results = [m for m in (await talk.requests())[-1]["body"]["messages"] if m["role"] == "tool"]
    assert len(results) == 2
    assert all("error" in result["content"] for result in results)
    assert (await talk.history())[-1] == ("assistant", "Sorry.")


async def test_a_turn_that_only_calls_tools_ends_at_the_step_limit(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script(*[SEARCH] * 10)
    await talk.run()
    assert len(await talk.requests()) == 6
    turn = await talk.turn(sent["turn_id"])
    assert (turn["state"], turn["failure"]) == ("failed", "model_steps")
    assert (await talk.history())[-1] == ("assistant", HONEST_LINE.en)
    await talk.script({}, {"text": ""})
    await talk.say("again")
    await talk.script({"text": "Fine."})
    await talk.run()
    assert is_valid_history((await talk.requests())[-1]["body"]["messages"])


async def test_b010_a_turn_stopped_while_its_tool_runs_leaves_a_valid_history(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "slow"}}]})
    running = asyncio.create_task(talk.run())

    async def called() -> bool:
        return "tool-input-available" in kinds(await talk.chunks(sent["turn_id"]))

    await talk.until(called)
    await talk.superuser.execute("update lanes set stop_turn_id = %s", [sent["turn_id"]])
    await running
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[-3:] == ["tool-output-error", "finish-step", "abort"]
    assert (await talk.turn(sent["turn_id"]))["state"] == "stopped"

    await talk.say("next")
    await talk.script({"text": "Yes?"})
    await talk.run()
    request = (await talk.requests())[-1]["body"]["messages"]
    assert is_valid_history(request)
    assert [m["content"] for m in request if m["role"] == "tool"] == [NOT_COMPLETED]


async def test_a_stopped_reply_keeps_what_was_said(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "one two three four five six seven eight nine ten", "token_delay_ms": 60})
    running = asyncio.create_task(talk.run())

    async def has_text() -> bool:
        return bool(shown_text(await talk.chunks(sent["turn_id"])))

    await talk.until(has_text)
    await talk.superuser.execute("update lanes set stop_turn_id = %s", [sent["turn_id"]])
    await running
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[-1] == "abort"
    said = shown_text(chunks)[0]
    assert said
    assert not said.endswith("ten")
    assert await talk.history() == [("user", "hello"), ("assistant", said)]
    lane = (await talk.rows("select stop_turn_id, holder from lanes"))[0]
    assert (lane["stop_turn_id"], lane["holder"]) == (None, None)


@pytest.mark.parametrize(
    "empty",
    [
        {"text": ""},
        {"text": "   \n"},
        {"text": "", "finish_reason": "length"},
    ],
)
async def test_an_empty_answer_is_asked_for_again_and_then_owned_up_to(talk: Talk, empty: dict[str, str]) -> None:
    await talk.say("hello")
    await talk.script(empty, {"text": "Hello."})
    await talk.run()
    await talk.say("again")
    await talk.script(empty, empty)
    await talk.run()
    assert [text for role, text in await talk.history() if role == "assistant"] == ["Hello.", HONEST_LINE.en]
    assert (await talk.rows("select kind from limit_hits")) == [{"kind": "model_empty"}]
    await talk.say("and now")
    await talk.run()
    assert is_valid_history((await talk.requests())[-1]["body"]["messages"])


@pytest.mark.parametrize("usage", [{"prompt_tokens": 10**10, "completion_tokens": 3}, {"cost": 1e30}])
async def test_a_usage_that_cannot_be_is_not_believed_and_stops_no_answer(talk: Talk, usage: dict[str, object]) -> None:
    await talk.say("hello")
    await talk.script({"text": "Hello.", "usage": usage})
    await talk.run()
    assert await talk.history() == [("user", "hello"), ("assistant", "Hello.")]
    costs = await talk.rows("select status from costs where feature = 'chat'")
    assert [row["status"] for row in costs] == ["estimated"]


async def test_an_invented_tool_name_goes_back_as_one_that_providers_accept(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"calls": [{"name": "functions.web search!", "args": {}}]}, {"text": "Sorry."})
    await talk.run()
    sent = (await talk.requests())[-1]["body"]["messages"]
    assert [call["function"]["name"] for m in sent for call in m.get("tool_calls", ())] == ["functions_web_search_"]


@pytest.mark.parametrize("arguments", ['{"query": 1e999}', "[" * 5000 + "]" * 5000, '{"query": NaN}', '{"que'])
async def test_arguments_that_cannot_be_read_are_an_answer_for_the_model(talk: Talk, arguments: str) -> None:
    await talk.say("hello")
    await talk.script({"calls": [{"name": "test_look", "args": arguments}]}, {"text": "Sorry."})
    await talk.run()
    assert await talk.history() == [("user", "hello"), ("assistant", "Sorry.")]


async def test_a_reply_that_was_cut_short_says_so_to_the_client(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "One two", "finish_reason": "length"}, {"text": " three", "finish_reason": "length"})
    await talk.run()
    assert (await talk.chunks(sent["turn_id"]))[-1]["finishReason"] == "length"
