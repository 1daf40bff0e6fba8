"""Each turn leaves its trace: what was done and for how long, and no word of anyone's (K3)."""

import asyncio
import json
from typing import Any

import pytest

from lanekeeper.redact import hashed
from lanekeeper.traces.compact import unpacked
from tests.integration.turn.conftest import Talk

SECRET = "4000 0566 5566 5556 belongs to Ana Marie Example"


async def trace(talk: Talk, turn_id: str) -> dict[str, Any]:
    [row] = await talk.rows("select * from traces where turn_id = %s", turn_id)
    return {**row, "spans": unpacked(row["spans"])}


def named(row: dict[str, Any]) -> list[str]:
    return [span["name"] for span in row["spans"]]


def find(row: dict[str, Any], name: str) -> dict[str, Any]:
    return next(span for span in row["spans"] if span["name"] == name)


async def test_a_turn_leaves_its_trace_with_its_end_k3(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "Hello.", "usage": {"prompt_tokens": 40, "completion_tokens": 3}})
    await talk.run()
    row = await trace(talk, sent["turn_id"])
    assert row["user_id"] == "ana"
    assert sorted(named(row)) == sorted(
        ["turn", "history", "load", "decisions", "decisions decisions", "chat small", "record", "commit"]
    )
    root = row["spans"][0]
    assert (root["name"], root["start_us"], root["parent"]) == ("turn", 0, None)
    assert root["attributes"] == {
        "user.id": hashed("ana"),
        "lanekeeper.state": "done",
        "lanekeeper.prompt.version": "v1",
        "lanekeeper.prompt.sha256": "hash",
        "gen_ai.request.model": "small",
    }
    model = find(row, "chat small")["attributes"]
    assert (model["gen_ai.operation.name"], model["gen_ai.request.model"]) == ("chat", "small")
    assert (model["gen_ai.usage.input_tokens"], model["gen_ai.usage.output_tokens"]) == (40, 3)
    for span in row["spans"][1:]:
        assert span["parent"] < row["spans"].index(span)
        assert 0 <= span["start_us"] <= span["start_us"] + span["us"] <= root["us"] + 1


async def test_tools_are_traced_by_name_side_by_side_and_their_failures_are_marked(talk: Talk) -> None:
    sent = await talk.say("look")
    calls = [
        {"name": "test_look", "args": {"query": "rain"}},
        {"name": "test_look", "args": {"query": "fail"}},
        {"name": "my_secret_is_1234", "args": {}},
    ]
    await talk.script({"calls": calls}, {"text": "Done."})
    await talk.run()
    row = await trace(talk, sent["turn_id"])
    tools = [span for span in row["spans"] if "gen_ai.tool.name" in span["attributes"]]
    assert [(span["name"], span["error"]) for span in tools] == [
        ("execute_tool test_look", False),
        ("execute_tool test_look", True),
        ("execute_tool unknown", True),
    ]
    assert named(row).count("chat small") == 2
    assert named(row).count("record") == 3


async def test_a_failed_call_and_its_retry_are_both_traced(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"error": 500}, {"error": 500})
    await talk.run()
    row = await trace(talk, sent["turn_id"])
    calls = [span for span in row["spans"] if span["name"] == "chat small"]
    assert [span["error"] for span in calls] == [True, True]
    root = row["spans"][0]["attributes"]
    assert (root["lanekeeper.state"], root["lanekeeper.failure"]) == ("failed", "model_unavailable")


async def test_nothing_of_what_was_said_is_in_a_trace_b081(talk: Talk) -> None:
    sent = await talk.say(SECRET)
    await talk.script(
        {"text": SECRET, "calls": [{"name": "test_look", "args": {"query": SECRET}}, {"name": SECRET, "args": {}}]},
        {"text": f"Again: {SECRET}"},
    )
    await talk.run()
    row = await trace(talk, sent["turn_id"])
    told = json.dumps(row["spans"])
    assert len(row["spans"]) > 6
    for word in ("4000", "0566", "Ana", "Marie", "Again", "ana"):
        assert word not in told


async def test_b081_the_text_of_an_exception_is_in_no_trace(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("lanekeeper.replies.ReplyStream.flush", broken)
    sent = await talk.say("hello")
    await talk.run()
    row = await trace(talk, sent["turn_id"])
    assert find(row, "load")["attributes"] == {"error.type": "RuntimeError"}
    assert row["spans"][0]["attributes"]["lanekeeper.state"] == "failed"
    assert "4000" not in json.dumps(row["spans"])


async def test_a_stopped_turn_leaves_its_trace_too(talk: Talk) -> None:
    sent = await talk.say("tell me much")
    await talk.script({"text": "one two three", "delay_s": 30})
    running = asyncio.create_task(talk.run())

    async def asked() -> bool:
        return len(await talk.requests()) == 1

    await talk.until(asked)
    await talk.superuser.execute("update lanes set stop_turn_id = %s", [sent["turn_id"]])
    await running
    row = await trace(talk, sent["turn_id"])
    assert row["spans"][0]["attributes"]["lanekeeper.state"] == "stopped"


async def test_a_trace_goes_with_its_conversation(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"text": "Hello."})
    await talk.run()
    assert len(await talk.rows("select * from traces")) == 1
    await talk.superuser.execute("delete from conversations")
    assert await talk.rows("select * from traces") == []
