"""Steering: what is sent while a turn runs joins it, before a model call, a first word or a write (T2, B005)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from lanekeeper.tools import ToolContext
from lanekeeper.turn.acting import OVERTAKEN
from lanekeeper.turn.ending import Ending
from lanekeeper.turn.steps import TurnSteps
from tests.integration.turn.conftest import LOOK, Talk, kinds
from tests.integration.turn.deaths import kill_once
from tests.integration.turn.reading import is_valid_history, shown_text
from tests.integration.turn.toys import BOOK, BOOKED, Named, Told, call


async def send(talk: Talk, texts: Sequence[str], apart_s: float) -> None:
    for text in texts:
        await talk.say(text)
        await asyncio.sleep(apart_s)


def read(request: dict[str, Any]) -> list[str]:
    return [message["content"] for message in request["body"]["messages"] if message["role"] == "user"]


async def until_asked(talk: Talk, times: int) -> None:
    async def asked() -> bool:
        return len(await talk.requests()) >= times

    await talk.until(asked)


async def test_three_messages_sent_before_a_slow_models_first_word_get_one_answer_that_has_read_all_three(
    talk: Talk,
) -> None:
    first = await talk.say("one")
    await talk.script(*[{"text": "All three.", "delay_s": 2}] * 3)
    running = asyncio.create_task(talk.run(talk.new_engine(provider_timeout_s=20)))
    await until_asked(talk, 1)
    await send(talk, ["two", "three"], 0.3)
    assert await running == 1
    assert [text for role, text in await talk.history() if role == "assistant"] == ["All three."]
    assert read((await talk.requests())[-1]) == ["one", "two", "three"]
    joined = [c["data"]["messageId"] for c in await talk.chunks(first["turn_id"]) if c["type"] == "data-joined"]
    assert joined == [sent["message_id"] for sent in talk.sent[1:]]


async def test_of_six_messages_none_is_lost_and_at_most_two_more_answers_come(talk: Talk) -> None:
    await talk.say("1")
    await talk.script(*[{"text": "Read.", "delay_s": 0.6} for _ in range(9)])
    running = asyncio.create_task(talk.run())
    await until_asked(talk, 1)
    await send(talk, ["2", "3", "4", "5", "6"], 0.3)
    await running
    answers = [text for role, text in await talk.history() if role == "assistant"]
    assert 1 <= len(answers) <= 3
    assert [text for role, text in await talk.history() if role == "user"] == ["1", "2", "3", "4", "5", "6"]
    assert read((await talk.requests())[-1]) == ["1", "2", "3", "4", "5", "6"]
    assert {row["state"] for row in await talk.rows("select state from inbox")} <= {"done", "folded"}


@pytest.mark.parametrize(
    ("owner", "method", "after"), [(TurnSteps, "ask", False), (TurnSteps, "ask", True), (Ending, "commit", False)]
)
async def test_three_messages_get_one_answer_though_the_worker_dies(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, owner: type, method: str, after: bool
) -> None:
    for text in ("one", "two", "three"):
        await talk.say(text)
    await talk.script({"text": "All three."}, {"text": "All three."})
    await kill_once(talk, monkeypatch, owner, method, after=after)
    await talk.run(talk.new_engine())
    assert [text for role, text in await talk.history() if role == "assistant"] == ["All three."]
    assert all(read(request) == ["one", "two", "three"] for request in await talk.requests())


async def test_messages_that_come_between_a_death_and_the_next_worker_are_not_lost(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.say("one")
    await kill_once(talk, monkeypatch, TurnSteps, "ask", after=False)
    for text in ("two", "three", "four", "five", "six"):
        await talk.say(text)
    await talk.script(*[{"text": "Read."}] * 3)
    await talk.run(talk.new_engine())
    assert [text for role, text in await talk.history() if role == "assistant"] == ["Read."]
    assert read((await talk.requests())[-1]) == ["one", "two", "three", "four", "five", "six"]


async def test_b005_a_message_after_the_last_look_is_answered_by_the_next_turn_without_a_nudge(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.say("A")
    await talk.script({"text": "Answer to A."}, {"text": "Answer to B."})
    commit = Ending.commit

    async def late(self: Ending, *args: Any) -> None:
        monkeypatch.undo()
        await talk.say("B")
        await commit(self, *args)

    monkeypatch.setattr(Ending, "commit", late)
    assert await talk.run() == 2
    answers = [text for role, text in await talk.history() if role == "assistant"]
    assert answers == ["Answer to A.", "Answer to B."]


@pytest.mark.parametrize("kind", ["button", "control"])
async def test_buttons_and_controls_never_join_and_are_never_passed(talk: Talk, kind: str) -> None:
    await talk.say("one")
    await talk.script(*[{"text": f"answer {number}", "delay_s": 0.3} for number in range(3)])
    running = asyncio.create_task(talk.run())
    await until_asked(talk, 1)
    await talk.say("pressed", kind=kind)
    await talk.say("two")
    assert await running == 3
    assert [text for _, text in await talk.history()] == [
        *("one", "answer 0", "pressed", "answer 1", "two", "answer 2"),
    ]


async def test_a_message_that_comes_before_a_write_is_read_before_anything_is_changed(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await talk.say("book the red one")
    await talk.script(
        {"text": "Booking it.", "calls": [call(BOOK, "red"), call(BOOK, "red again")]},
        {"calls": [call(BOOK, "blue")]},
        {"text": "The blue one is booked."},
    )
    run_tools = TurnSteps.run_tools

    async def interrupted(self: TurnSteps, *args: Any) -> Any:
        monkeypatch.undo()
        await talk.say("no, the blue one")
        return await run_tools(self, *args)

    monkeypatch.setattr(TurnSteps, "run_tools", interrupted)
    assert await talk.run(talk.new_engine(tools=[BOOK])) == 1
    assert [booked for booked in BOOKED if booked.startswith(sent["turn_id"])] == [f"{sent['turn_id']} blue"]
    request = (await talk.requests())[1]["body"]["messages"]
    assert is_valid_history(request)
    assert [m["content"] for m in request if m["role"] in {"user", "tool"}] == [
        *("book the red one", OVERTAKEN, OVERTAKEN, "no, the blue one"),
    ]
    chunks = await talk.chunks(sent["turn_id"])
    assert shown_text(chunks) == ["Booking it.", "The blue one is booked."]
    assert kinds(chunks).count("tool-output-error") == 2
    assert chunks[-2]["data"] == {"tools": ["test_book"]}


async def test_there_is_a_look_before_each_write_not_only_before_the_first(talk: Talk) -> None:
    sent = await talk.say("book two")
    calls = [call(BOOK, "one"), {"name": "test_look", "args": {"query": "owls"}}, call(BOOK, "two")]
    await talk.script({"calls": calls}, {"text": "One is booked."})

    async def book_and_be_interrupted(context: ToolContext, given: Named) -> Told:
        booked = await BOOK.run(context, given)
        await talk.say("one is enough")
        return booked

    await talk.run(talk.new_engine(tools=[replace(BOOK, run=book_and_be_interrupted), LOOK]))
    assert [booked for booked in BOOKED if booked.startswith(sent["turn_id"])] == [f"{sent['turn_id']} one"]
    results = [m["content"] for m in (await talk.requests())[-1]["body"]["messages"] if m["role"] == "tool"]
    assert len(results) == 3
    assert results[2] == OVERTAKEN
    assert "about owls" in results[1]


async def test_reads_are_not_broken_off_for_a_new_message(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    await talk.say("owls?")
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "owls"}}]}, {"text": "Both read."})
    run_tools = TurnSteps.run_tools

    async def interrupted(self: TurnSteps, *args: Any) -> Any:
        monkeypatch.undo()
        await talk.say("and magpies")
        return await run_tools(self, *args)

    monkeypatch.setattr(TurnSteps, "run_tools", interrupted)
    assert await talk.run() == 1
    request = (await talk.requests())[-1]["body"]["messages"]
    assert [m["role"] for m in request if m["role"] != "system"] == ["user", "assistant", "tool", "user"]


async def test_once_a_turn_may_not_begin_again_a_write_goes_ahead_and_the_message_waits(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await talk.say("book it")
    await talk.script({"calls": [call(BOOK, "red")]}, {"text": "Booked."}, {"text": "And thanks."})
    run_tools = TurnSteps.run_tools

    async def interrupted(self: TurnSteps, *args: Any) -> Any:
        monkeypatch.undo()
        await talk.say("thanks")
        return await run_tools(self, *args)

    monkeypatch.setattr(TurnSteps, "run_tools", interrupted)
    assert await talk.run(talk.new_engine(tools=[BOOK], restarts=0)) == 2
    assert [booked for booked in BOOKED if booked.startswith(sent["turn_id"])] == [f"{sent['turn_id']} red"]
    answers = [text for role, text in await talk.history() if role == "assistant"]
    assert answers == ["Booked.", "And thanks."]
