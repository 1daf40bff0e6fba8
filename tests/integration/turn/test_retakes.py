"""When a worker dies: its turn is taken up again and nothing is said, written or charged twice (T1, B046)."""

import asyncio
from typing import Any

import pytest

from lanekeeper.lines import HONEST_LINE
from lanekeeper.turn.deciding import Deciding
from lanekeeper.turn.ending import Ending
from lanekeeper.turn.steps import TurnSteps
from tests.integration.turn.conftest import Talk, kinds
from tests.integration.turn.deaths import Killed, kill_once
from tests.integration.turn.reading import TERMINAL, shown_text

SEARCH = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}


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
    exact = await talk.rows("select * from costs where feature = 'chat' and status = 'exact'")
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
        ("assistant", HONEST_LINE.en),
        ("user", "and now?"),
        ("assistant", "Now it works."),
    ]
    assert (await talk.turn(later["turn_id"]))["state"] == "done"


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


async def test_a_worker_that_died_right_after_folding_still_says_what_joined(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await talk.say("one")
    second = await talk.say("two")
    await kill_once(talk, monkeypatch, TurnSteps, "ask", after=False)
    await talk.run(talk.new_engine())
    joined = [c["data"]["messageId"] for c in await talk.chunks(first["turn_id"]) if c["type"] == "data-joined"]
    assert joined == [second["message_id"]]


async def test_a_turn_that_cannot_even_be_failed_ends_all_the_same(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = await talk.say("hello")

    async def broken(*_: object) -> None:
        raise ValueError("broken")

    with monkeypatch.context() as patch:
        patch.setattr(TurnSteps, "catch_up", broken)
        patch.setattr(TurnSteps, "ask", broken)
        await talk.run()
    assert (await talk.turn(sent["turn_id"]))["failure"] == "unreadable"
    assert (await talk.history())[-1] == ("assistant", HONEST_LINE.en)
    assert (await talk.rows("select holder from lanes"))[0]["holder"] is None


async def test_what_joined_is_judged_though_the_worker_died_before_it_was(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.judge(language="de")
    await talk.say("I had a bad day")
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "owls"}}]})
    run_tools, judge_joined = TurnSteps.run_tools, Deciding.judge_joined

    async def sent_meanwhile(steps: TurnSteps, calls: Any) -> Any:
        await talk.say("i do not want to be here any more")
        return await run_tools(steps, calls)

    async def dying(deciding: Deciding, joined: Any) -> None:
        if joined:
            raise Killed
        await judge_joined(deciding, joined)

    with monkeypatch.context() as patch:
        patch.setattr(TurnSteps, "run_tools", sent_meanwhile)
        patch.setattr(Deciding, "judge_joined", dying)
        with pytest.raises(Killed):
            await talk.run(talk.new_engine())
    await talk.lapse()
    await talk.tick.run()
    await talk.judge(risk=0.95)
    await talk.script({"text": "Cheer up."})
    await talk.run()
    assert "Cheer up" not in str(await talk.history())
    assert "findahelpline.com" in (await talk.history())[-1][1]
    assert [asked["body"]["input"] for asked in await talk.requests("decisions")] == [
        "I had a bad day",
        "i do not want to be here any more",
    ]
