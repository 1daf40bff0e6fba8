"""What a provider is sent through the real engine: each request begins the next one (C1, C5, N2, B072)."""

import random
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from lanekeeper.graph import Thread
from lanekeeper.mainline.cache_marks import unmarked
from lanekeeper.mainline.text import dumps
from tests.integration.turn.conftest import Talk
from tests.integration.turn.deaths import kill_once

MARKED = """{"models": [{"id": "small", "cache": "marks", "notes": "user"}, {"id": "large"}], "hard": "large"}"""


def lasting(request: dict[str, Any]) -> bytes:
    """The bytes of a request, without what is for its reply only."""
    body = request["body"]
    messages = unmarked(body["messages"])[:-1]
    if messages[-1]["role"] == "assistant" and "tool_calls" not in messages[-1]:
        messages.pop()  # words of a draft whose writer died, to be gone on from
    return (dumps(body.get("tools")) + dumps(messages)).encode().removesuffix(b"]")


def whole(request: dict[str, Any]) -> bytes:
    return (dumps(request["body"].get("tools")) + dumps(unmarked(request["body"]["messages"]))).encode()


def grows(requests: list[dict[str, Any]]) -> bool:
    return all(whole(later).startswith(lasting(earlier)) for earlier, later in pairwise(requests))


def marked(request: dict[str, Any]) -> list[int]:
    return [index for index, message in enumerate(request["body"]["messages"]) if "cache_control" in dumps(message)]


async def set_models(talk: Talk, value: str) -> None:
    await talk.superuser.execute(
        "insert into settings (key, value, changed_by) values ('models', %s, 'test') "
        "on conflict (key) do update set value = excluded.value",
        [value],
    )


@pytest.mark.parametrize(("seed", "models"), [(1, None), (2, None), (3, MARKED)])
async def test_b072_over_tools_failures_restarts_folds_and_clock_moves_each_request_begins_the_next(
    talk: Talk, seed: int, models: str | None
) -> None:
    dice = random.Random(seed)
    if models:
        await set_models(talk, models)
    look = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
    fails = {"calls": [{"name": "test_look", "args": {"query": "fail", "x": 1.0}}]}
    endings: list[tuple[dict[str, Any], ...]] = [
        ({"text": "Plain answer."},),
        (look, {"text": "Found."}),
        ({"text": "Let me see.", **look}, fails, {"text": "Nothing more."}),
        ({"error": 500}, {"text": "At the second try."}),
        ({"error": 500}, {"error": 500}),
        ({"text": "This one is cut off in the middle", "error": "cut"}, {"text": "and goes on."}),
        ({"calls": [{"name": "test_look", "args": '{"quer'}]}, {"text": "My mistake."}),
    ]
    zones = ["Asia/Tokyo", "America/Los_Angeles", "Mars/Olympus", "Europe/Madrid"]
    for number, replies in enumerate(dice.sample(endings * 2, k=12)):
        await talk.superuser.execute("update users set timezone = %s", [dice.choice(zones)])
        await talk.say(f'Question {number}, with "quotes", 東京 and 🦉')
        if dice.random() < 0.3:
            await talk.say("and one more thing")
        await talk.script(*replies)
        await talk.run(talk.new_engine() if dice.random() < 0.5 else None)
    requests = [one for one in await talk.requests() if one["body"]["model"] == "small"]
    assert len(requests) >= 12
    assert grows(requests)
    if models is None:
        assert grows(await talk.requests()), "the other model is sent the same"


async def test_b072_a_turn_that_another_worker_takes_up_is_sent_the_same_beginning(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.say("one")
    await talk.run()
    await talk.say("two")
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "owls"}}]}, {"text": "Found."})
    await kill_once(talk, monkeypatch, Thread, "add", after=True)
    await talk.run(talk.new_engine())
    await talk.say("three")
    await talk.run()
    assert grows(await talk.requests())


async def test_a_name_that_changes_changes_the_beginning_once(talk: Talk) -> None:
    await talk.say("one")
    await talk.run()
    await talk.superuser.execute("update users set name = 'Ana Lima'")
    for text in ("two", "three", "four"):
        await talk.say(text)
        await talk.run()
    first, *later = await talk.requests()
    assert not grows([first, later[0]])
    assert grows(later)
    assert [message["role"] for message in later[0]["body"]["messages"][:3]] == ["system", "system", "user"]
    assert "Ana Lima" in later[0]["body"]["messages"][1]["content"]
    assert later[0]["body"]["messages"][0] == first["body"]["messages"][0]


async def test_a_role_comes_with_the_message_and_stands_behind_the_system_prompt_n2(talk: Talk) -> None:
    await talk.say("one")
    await talk.superuser.execute("""update inbox set payload = payload || '{"roles": ["staff"]}'""")
    await talk.run()
    (request,) = await talk.requests()
    system, profile, *_ = request["body"]["messages"]
    assert system["content"] == "You help."
    assert profile["content"].startswith("They work for this service")


async def test_breakpoints_move_on_and_the_cache_holds_for_a_model_that_wants_them(talk: Talk) -> None:
    await set_models(talk, MARKED)
    await talk.superuser.execute("insert into users (id, name) values ('ana', 'Ana')")
    for text in ("one", "two", "three"):
        await talk.say(text)
        await talk.script({"text": f"A long answer to {text}. " * 30})
        await talk.run()
    first, second, third = await talk.requests()
    assert [marked(one) for one in (first, second, third)] == [[0, 1], [0, 1, 3], [0, 1, 5]]
    assert third["body"]["messages"][-1]["role"] == "user"
    assert grows([first, second, third])
    assert third["cached_tokens"] > second["cached_tokens"] > 0


async def test_a_zone_that_is_none_neither_stops_a_turn_nor_its_tools(talk: Talk) -> None:
    sent = await talk.say("one")
    await talk.superuser.execute("update users set timezone = '../../etc/passwd'")
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "owls"}}]}, {"text": "Found."})
    await talk.run()
    assert (await talk.turn(sent["turn_id"]))["state"] == "done"
    assert " in UTC (where they are is not known" in (await talk.requests())[0]["body"]["messages"][-1]["content"]


async def test_the_days_are_told_by_the_clock_of_the_turn(talk: Talk) -> None:
    await talk.say("one")
    await talk.superuser.execute("update users set timezone = 'Asia/Tokyo'")
    await talk.run()
    (row,) = await talk.rows("select lanekeeper.now() at time zone 'Asia/Tokyo' as there")
    there: datetime = row["there"]
    notes = (await talk.requests())[0]["body"]["messages"][-1]["content"]
    # The turn may have begun a moment earlier, on the other side of midnight.
    assert any(f"today is {day:%A %Y-%m-%d}" in notes for day in (there, there - timedelta(minutes=1)))
