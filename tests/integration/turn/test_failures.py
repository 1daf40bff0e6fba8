"""When the model, a tool or a worker fails: one honest line, valid history, nothing twice (T5, E6, A3)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lanekeeper.turn.ending import HONEST_LINE, NOT_COMPLETED, Ending
from lanekeeper.turn.steps import TurnSteps
from tests.integration.turn.conftest import Talk, kinds

SEARCH = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
TERMINAL = {"finish", "abort", "error"}


class Killed(BaseException):
    """Stands for a worker that is gone: nothing in the engine catches it."""


def die(*args: Any, **kwargs: Any) -> Any:
    raise Killed


async def kill_once(talk: Talk, monkeypatch: pytest.MonkeyPatch, owner: type, method: str, *, after: bool) -> None:
    """Run a worker that dies before or after one step, then let its lease lapse and take its lane away."""
    original: Callable[..., Awaitable[Any]] = getattr(owner, method)

    async def dying(*args: Any, **kwargs: Any) -> Any:
        if after:
            await original(*args, **kwargs)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(owner, method, dying)
        with pytest.raises(Killed):
            await talk.run(talk.new_engine())
    await talk.lapse()
    await talk.tick.run()


def shown_text(chunks: list[dict[str, Any]]) -> list[str]:
    texts: dict[str, str] = {}
    for chunk in chunks:
        if chunk["type"] == "text-start":
            assert chunk["id"] not in texts
            texts[chunk["id"]] = ""
        elif chunk["type"] == "text-delta":
            texts[chunk["id"]] += chunk["delta"]
    return list(texts.values())


def is_valid_history(messages: list[dict[str, Any]]) -> bool:
    """Every call is followed directly by exactly one result an id; no result without its call; nothing empty."""
    open_ids: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                return False
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            return False
        if message["role"] == "assistant":
            open_ids = [call["id"] for call in message.get("tool_calls", ())]
            if not message["content"] and not open_ids:
                return False
    return not open_ids


async def test_a_failed_call_is_tried_once_more_without_a_word(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"error": 503}, {"text": "Hello."})
    await talk.run()
    assert await talk.history() == [("user", "hello"), ("assistant", "Hello.")]
    assert sorted(row["status"] for row in await talk.rows("select status from costs")) == ["exact", "failed"]


@pytest.mark.parametrize("error", [500, 503, 429, "timeout", "cut"])
async def test_b031_a_second_failure_ends_with_one_honest_line(talk: Talk, error: object) -> None:
    sent = await talk.say("hello")
    await talk.script({"error": error, "text": "one two three four five"}, {"error": error, "text": "one two three"})
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert [chunk["type"] for chunk in chunks if chunk["type"] in TERMINAL] == ["finish"]
    assert chunks[-1]["finishReason"] == "error"
    assert shown_text(chunks)[-1] == HONEST_LINE
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
    assert (await talk.history())[-1] == ("assistant", HONEST_LINE)
    await talk.script({}, {"text": ""})
    await talk.say("again")
    await talk.script({"text": "Fine."})
    await talk.run()
    assert is_valid_history((await talk.requests())[-1]["body"]["messages"])


@pytest.mark.parametrize(
    ("owner", "method", "after"),
    [
        (TurnSteps, "ask", False),
        (TurnSteps, "ask", True),
        (TurnSteps, "run_tools", False),
        (TurnSteps, "run_tools", True),
        (Ending, "commit", False),
        (Ending, "commit", True),
    ],
)
async def test_b046_a_turn_whose_worker_died_is_taken_up_again_with_nothing_twice(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, owner: type, method: str, after: bool
) -> None:
    sent = await talk.say("owls?")
    answer, final = {"text": "Let me look.", **SEARCH}, {"text": "Found it."}
    await talk.script(answer, *([final] if method == "commit" else []))
    await kill_once(talk, monkeypatch, owner, method, after=after)
    await talk.script()
    if (owner, method) == (TurnSteps, "ask"):
        await talk.script(answer, final)
    elif method == "run_tools":
        await talk.script(final)
    await talk.run(talk.new_engine())

    assert await talk.history() == [("user", "owls?"), ("assistant", "Let me look. | Found it.")]
    chunks = await talk.chunks(sent["turn_id"])
    assert shown_text(chunks) == ["Let me look.", "Found it."]
    assert [chunk["type"] for chunk in chunks if chunk["type"] in TERMINAL] == ["finish"]
    assert kinds(chunks).count("start") == 1
    assert kinds(chunks).count("tool-output-available") == 1
    assert [row["state"] for row in await talk.rows("select state from outbox")] == ["sent"]
    assert await talk.rows("select state from inbox") == [{"state": "done"}]
    exact = await talk.rows("select * from costs where status = 'exact'")
    assert len(exact) == 2
    messages = await talk.rows("select message from thread_messages order by position")
    assert [row["message"]["type"] for row in messages] == ["human", "ai", "tool", "ai"]


async def test_a_draft_whose_worker_died_in_mid_stream_is_continued_in_the_same_text(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await talk.say("hello")
    text = "The train leaves at noon from platform four."
    await talk.script({"text": text, "token_delay_ms": 40})
    running = asyncio.create_task(talk.run(talk.new_engine()))

    async def has_text() -> bool:
        return bool(shown_text(await talk.chunks(sent["turn_id"])))

    await talk.until(has_text)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await talk.lapse()
    await talk.tick.run()
    await talk.script({"text": text})
    await talk.run(talk.new_engine())

    assert shown_text(await talk.chunks(sent["turn_id"])) == [text]
    assert await talk.history() == [("user", "hello"), ("assistant", text)]
    body = (await talk.requests())[-1]["body"]["messages"]
    assert [message["role"] for message in body] == ["system", "user", "assistant", "system"]


async def test_a_poison_turn_ends_with_the_honest_line_after_three_deaths(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await talk.say("poison")
    for _ in range(3):
        await kill_once(talk, monkeypatch, TurnSteps, "ask", after=False)
    later = await talk.say("and now?")
    await talk.script({"text": "Now it works."})
    assert await talk.run() == 2
    assert (await talk.turn(sent["turn_id"]))["failure"] == "deaths"
    assert await talk.history() == [
        ("user", "poison"),
        ("assistant", HONEST_LINE),
        ("user", "and now?"),
        ("assistant", "Now it works."),
    ]
    assert (await talk.turn(later["turn_id"]))["state"] == "done"


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


async def test_a_worker_that_lost_its_lane_in_mid_stream_shows_nothing_more(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "one two three four five six seven eight nine ten", "token_delay_ms": 60})
    running = asyncio.create_task(talk.run(talk.new_engine()))

    async def has_text() -> bool:
        return bool(shown_text(await talk.chunks(sent["turn_id"])))

    await talk.until(has_text)
    await talk.superuser.execute("update lanes set epoch = epoch + 1, holder = 'another'")
    await running
    before = len(await talk.chunks(sent["turn_id"]))
    await asyncio.sleep(0.2)
    assert len(await talk.chunks(sent["turn_id"])) == before
    assert await talk.history() == [("user", "hello")]
    await talk.lapse()
    await talk.tick.run()
    await talk.script({"text": "one two three four five six seven eight nine ten"})
    await talk.run()
    assert shown_text(await talk.chunks(sent["turn_id"])) == ["one two three four five six seven eight nine ten"]
