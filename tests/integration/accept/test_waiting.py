"""A message that its conversation has no room for is safe, and waits for a summary (C4)."""

import json

import pytest

from tests.integration.accept.api import Api, Lambda

LONG = "word " * 6000


@pytest.fixture
def conversation(api: Api, endpoint: Lambda) -> str:
    """A conversation that was answered once and has grown to eleven twelfths of its budget."""
    conversation_id = str(api.send("Hello").json["conversationId"])
    api.sql("update inbox set state = 'done'")
    api.sql("update turns set state = 'done'")
    api.sql("update lanes set ready_at = null")
    api.sql("update conversations set fill_tokens = 55000")
    endpoint.events.clear()
    return conversation_id


def states(api: Api) -> list[str]:
    return [row["state"] for row in api.sql("select state from inbox order by id")]


def timers(api: Api) -> list[dict[str, object]]:
    return api.sql("select kind, user_id, run_at <= lanekeeper.now() as due, moves from timers")


def test_what_has_room_is_queued(api: Api, conversation: str) -> None:
    assert api.send("And on", conversationId=conversation).json["state"] == "queued"
    assert timers(api) == []


def test_what_has_no_room_waits_safely_and_a_summary_is_asked_for(
    api: Api, endpoint: Lambda, conversation: str
) -> None:
    repeat = {"conversationId": conversation, "messageId": "m2"}
    assert api.send(LONG, **repeat).json["state"] == "waiting"
    assert states(api) == ["done", "waiting"]
    assert timers(api) == [{"kind": "compaction", "user_id": "ana", "due": True, "moves": 0}]
    assert api.sql("select ready_at from lanes") == [{"ready_at": None}]
    # No worker has anything to do; maintenance has.
    [(path, _, body)] = endpoint.events
    assert path == "/2015-03-31/functions/maintenance/invocations"
    assert json.loads(body) == {"job": "tick"}
    # A repeat is told the same and changes nothing.
    assert api.send(LONG, **repeat).json["state"] == "waiting"
    assert states(api) == ["done", "waiting"]
    assert api.sql("select t.state from turns t join inbox i on i.turn_id = t.id order by i.id") == [
        {"state": "done"},
        {"state": "queued"},
    ]


def test_what_comes_after_it_waits_behind_it_and_other_conversations_go_on(api: Api, conversation: str) -> None:
    api.send(LONG, conversationId=conversation)
    assert api.send("short", conversationId=conversation).json["state"] == "waiting"
    assert api.send("elsewhere").json["state"] == "queued"
    assert timers(api) == [{"kind": "compaction", "user_id": "ana", "due": True, "moves": 1}]


def test_a_control_is_acted_on_however_full_a_conversation_is(api: Api, conversation: str) -> None:
    api.send(LONG, conversationId=conversation)
    assert api.send("STOP", conversationId=conversation).json["state"] == "queued"
    assert states(api) == ["done", "waiting", "new"]


def test_what_waits_can_be_stopped_and_stays_in_the_conversation(api: Api, conversation: str) -> None:
    waiting = api.send(LONG, conversationId=conversation).json
    stopped = api("POST", f"/chat/{conversation}/stop")
    assert stopped.json == {"state": "stopped", "turnId": waiting["turnId"]}
    assert states(api) == ["done", "done"]
    assert api.sql("select position is not null as placed from messages where id = %s", waiting["messageId"]) == [
        {"placed": True}
    ]


def test_what_waits_goes_with_its_conversation(api: Api, conversation: str) -> None:
    api.send(LONG, conversationId=conversation)
    assert api("DELETE", f"/conversations/{conversation}").status == 204
    assert api.count("inbox") == 0
    assert timers(api) == []


def test_a_summary_that_has_failed_is_tried_at_once_for_whoever_comes_to_wait(api: Api, conversation: str) -> None:
    api.sql(
        "insert into timers (kind, key, user_id, conversation_id, run_at, attempts) "
        "values ('compaction', %s, 'ana', %s, lanekeeper.now() + interval '20 minutes', 4)",
        conversation,
        conversation,
    )
    api.send(LONG, conversationId=conversation)
    assert api.sql("select attempts, run_at <= lanekeeper.now() as due from timers") == [{"attempts": 4, "due": True}]


def test_b070_a_message_in_chinese_is_as_long_as_its_tokens(api: Api, conversation: str) -> None:
    """The same number of characters has room in English."""
    assert api.send("x" * 8000, conversationId=conversation).json["state"] == "queued"
    assert api.send("请帮我看看" * 1600, conversationId=conversation).json["state"] == "waiting"
