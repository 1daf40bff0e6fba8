"""A message is accepted once, whole and in order; a repeat gets the answer of the first time."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.integration.accept.api import Api, Lambda


def test_a_message_is_safe_before_its_answer_and_a_worker_is_woken(api: Api, endpoint: Lambda) -> None:
    reply = api.send("Hello there\nmore", timezone="Europe/Madrid", messageId="m1")
    assert reply.status == 202
    assert reply.headers["preference-applied"] == "respond-async"
    body = reply.json
    assert body == {
        "conversationId": body["conversationId"],
        "messageId": "m1",
        "turnId": body["turnId"],
        "stream": f"/chat/{body['conversationId']}/stream?turn={body['turnId']}",
        "state": "queued",
    }
    [row] = api.sql("""
        select i.*, t.state as turn_state, t.reply_id, l.ready_at, l.holder, m.parts, m.position, m.role,
               m.turn_id as m_turn, c.title, c.agent_id as c_agent, u.timezone
        from inbox i join turns t on t.id = i.turn_id join lanes l on l.user_id = i.user_id
        join messages m on m.id = i.message_id join conversations c on c.id = i.conversation_id
        join users u on u.id = i.user_id""")
    assert row["user_id"] == "ana"
    assert row["state"] == "new"
    assert row["turn_state"] == "queued"
    assert row["turn_id"] == row["accepted_turn_id"] == row["m_turn"] == body["turnId"]
    assert row["reply_id"].startswith("msg_")
    assert row["ready_at"] is not None
    assert row["holder"] is None
    assert (row["role"], row["parts"], row["position"]) == (
        "user",
        [{"type": "text", "text": "Hello there\nmore"}],
        None,
    )
    assert row["payload"] == {
        "text": "Hello there\nmore",
        "timezone": "Europe/Madrid",
        "spoken": False,
        "roles": ["staff"],
    }
    assert (row["title"], row["agent_id"], row["c_agent"], row["timezone"]) == (
        "Hello there",
        "assistant",
        "assistant",
        "Europe/Madrid",
    )
    assert endpoint.turns == [body["turnId"]]
    path, headers, _ = endpoint.events[0]
    assert path == "/2015-03-31/functions/worker/invocations"
    assert headers["X-Amz-Invocation-Type"] == "Event"
    assert headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=local/")


def test_a_stock_client_is_led_to_the_stream_of_its_turn(api: Api) -> None:
    body = {"id": "chat-1", "messages": [sdk_message("u1", "Hi")], "trigger": "submit-message"}
    reply = api("POST", "/chat", body)
    assert reply.status == 303
    [turn] = api.sql("select id, conversation_id from turns")
    assert reply.headers["location"] == f"/chat/{turn['conversation_id']}/stream?turn={turn['id']}"
    assert reply.body == b""
    [conversation] = api.sql("select alias from conversations")
    assert conversation["alias"] == "chat-1"


def test_the_location_keeps_the_stage_of_the_api(api: Api) -> None:
    api.stage = "prod"
    reply = api("POST", "/chat", {"text": "Hi"})
    assert reply.headers["location"].startswith("/prod/chat/conv_")


def test_only_the_last_user_message_of_a_stock_client_is_read(api: Api) -> None:
    earlier = [
        sdk_message("u1", "Hi"),
        {"id": "a1", "role": "assistant", "parts": [{"type": "text", "text": "Made up"}]},
    ]
    body = {"id": "chat-1", "messages": [*earlier, sdk_message("u2", "Line 1", "Line 2"), {"odd": 1}]}
    assert api("POST", "/chat", body).status == 303
    [message] = api.sql("select id, parts from messages")
    assert message == {"id": "u2", "parts": [{"type": "text", "text": "Line 1\nLine 2"}]}


def test_a_repeat_answers_with_the_same_turn_and_stores_nothing(api: Api, endpoint: Lambda) -> None:
    first = api.send("Hello", key="k1", messageId="m1")
    stored = api.stored()
    again = api.send("Hello", key="k1", messageId="m1")
    assert (again.status, again.json) == (202, first.json)
    assert api.stored() == stored
    # The first wake may have been lost with its sandbox.
    assert endpoint.turns == [first.json["turnId"]] * 2


def test_a_repeat_of_an_answered_message_wakes_nobody(api: Api, endpoint: Lambda) -> None:
    first = api.send("Hello", key="k1")
    api.sql("update inbox set state = 'done'; update lanes set ready_at = null")
    again = api.send("Hello", key="k1")
    assert again.json["turnId"] == first.json["turnId"]
    assert again.json["state"] == "queued"
    assert len(endpoint.events) == 1
    assert api.sql("select ready_at from lanes") == [{"ready_at": None}]


def test_a_repeat_of_a_folded_message_says_that_it_joined(api: Api) -> None:
    first = api.send("Hello", messageId="m1")
    api.sql("update inbox set state = 'folded', turn_id = 'turn_other'; delete from turns")
    again = api.send("Hello", messageId="m1")
    assert again.json == {**first.json, "state": "joined"}


def test_the_messages_id_is_its_key_when_no_other_is_given(api: Api) -> None:
    first = api.send("Hello", messageId="m1")
    assert api.send("Hello", messageId="m1").json == first.json
    assert api.send("Other", messageId="m1").status == 409
    sdk = {"id": "chat-1", "messages": [sdk_message("u1", "Hi")]}
    assert api("POST", "/chat", sdk).headers["location"] == api("POST", "/chat", sdk).headers["location"]
    assert api.count("inbox") == 2


def test_messages_without_any_id_are_all_new(api: Api) -> None:
    assert api.send("Hello").json["turnId"] != api.send("Hello").json["turnId"]


@pytest.mark.parametrize(
    "other",
    [{"text": "Other"}, {"agentId": "assistant"}, {"modelId": "large"}, {"spoken": True}, {"conversationId": "x"}],
    ids=lambda other: next(iter(other)),
)
def test_a_repeated_key_with_another_body_is_refused(api: Api, other: dict[str, Any]) -> None:
    api.send("Hello", key="k1", messageId="m1")
    stored = api.stored()
    refused = api("POST", "/chat", {"text": "Hello", "messageId": "m1", **other}, headers={"Idempotency-Key": "k1"})
    assert (refused.status, refused.code) == (409, "key_reused")
    assert api.stored() == stored


def test_another_device_in_another_zone_repeats_the_same_message(api: Api) -> None:
    first = api.send("Hello", key="k1", timezone="Europe/Madrid")
    assert api.send("Hello", key="k1", timezone="Asia/Tokyo").json["turnId"] == first.json["turnId"]


def test_a_key_is_the_persons_own(api: Api) -> None:
    first = api.send("Hello", key="k1", messageId="m1", sub="ana")
    second = api.send("Other", key="k1", messageId="m1", sub="ben")
    assert second.status == 202
    assert second.json["turnId"] != first.json["turnId"]
    assert second.json["conversationId"] != first.json["conversationId"]


def test_an_id_that_stands_for_another_message_is_refused(api: Api) -> None:
    api.send("Hello", key="k1", messageId="m1")
    stored = api.stored()
    refused = api.send("Other", key="k2", messageId="m1")
    assert (refused.status, refused.code) == (409, "message_id_taken")
    assert api.stored() == stored


def test_regenerating_makes_a_new_turn_for_the_same_message(api: Api) -> None:
    body = {"id": "chat-1", "messages": [sdk_message("u1", "Hi")]}
    first = api("POST", "/chat", body).headers["location"]
    again = {**body, "trigger": "regenerate-message", "messageId": "a1"}
    second = api("POST", "/chat", again).headers["location"]
    assert second != first
    assert api("POST", "/chat", again).headers["location"] == second
    assert api.count("turns") == 2
    assert api.count("messages") == 1, "the message itself is not said twice"
    assert len({row["message_id"] for row in api.sql("select message_id from inbox")}) == 2


def test_regenerating_without_naming_an_answer_is_one_wish_until_it_is_answered(api: Api) -> None:
    """A stock client's own form: it names no message when the last answer is meant."""
    body = {"id": "chat-1", "messages": [sdk_message("u1", "Hi")]}
    first = api("POST", "/chat", body).headers["location"]
    again = {**body, "trigger": "regenerate-message"}
    second = api("POST", "/chat", again).headers["location"]
    assert second != first
    assert api("POST", "/chat", again).headers["location"] == second
    api.sql("update inbox set state = 'done'")
    assert api("POST", "/chat", again).headers["location"] not in {first, second}


def test_another_answer_is_asked_for_by_a_button_that_joins_nothing(api: Api) -> None:
    body = {"id": "chat-1", "messages": [sdk_message("u1", "Hi")]}
    api("POST", "/chat", body)
    api("POST", "/chat", {**body, "trigger": "regenerate-message", "messageId": "a1"})
    assert [row["kind"] for row in api.sql("select kind from inbox order by id")] == ["text", "button"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("STOP", "control"),
        ("  DELETE\n", "control"),
        ("stop", "text"),
        ("STOP.", "text"),
        ("STOP it", "text"),
        ("Please DELETE", "text"),
    ],
)
def test_a_word_of_order_alone_and_in_capitals_becomes_a_control_d5(api: Api, text: str, kind: str) -> None:
    assert api.send(text).status == 202
    assert [row["kind"] for row in api.sql("select kind from inbox")] == [kind]


def test_a_repeat_that_comes_after_its_conversation_was_deleted_brings_nothing_back(api: Api) -> None:
    sent = api.send("Hello", key="k1").json
    assert api("DELETE", f"/conversations/{sent['conversationId']}").status < 300
    refused = api.send("Hello", key="k1")
    assert (refused.status, refused.code) == (410, "gone")
    assert api.count("conversations") == api.count("turns") == api.count("inbox") == 0


def test_a_worker_that_was_frozen_in_mid_write_holds_up_no_message(api: Api) -> None:
    api.send("Hello", key="k1")
    with psycopg.connect(api.database_url) as frozen:
        frozen.execute("select lanekeeper.hold_lane('ana', 0)")
        assert api.send("And another", key="k2").status == 202
        assert api("POST", "/chat/" + api.sql("select id from conversations")[0]["id"] + "/stop").status in {200, 202}


def test_regenerating_a_message_that_never_arrived_sends_it(api: Api) -> None:
    body = {"id": "chat-1", "messages": [sdk_message("u1", "Hi")], "trigger": "regenerate-message"}
    assert api("POST", "/chat", body).status == 303
    assert [row["id"] for row in api.sql("select id from messages")] == ["u1"]


def test_a_conversation_goes_on_by_its_id_and_by_a_stock_clients_name(api: Api) -> None:
    api("POST", "/chat", {"id": "chat-1", "messages": [sdk_message("u1", "Hi")]})
    [conversation] = api.sql("select id from conversations")
    assert api.send("More", conversationId=conversation["id"]).json["conversationId"] == conversation["id"]
    by_id = {"id": conversation["id"], "messages": [sdk_message("u2", "Again")]}
    assert conversation["id"] in api("POST", "/chat", by_id).headers["location"]
    assert api.send("And", conversationId="chat-1").json["conversationId"] == conversation["id"]
    assert api.count("conversations") == 1


def test_an_unknown_conversation_is_refused_in_the_native_form(api: Api) -> None:
    refused = api.send("Hello", conversationId="conv_nowhere")
    assert (refused.status, refused.code) == (404, "not_found")
    assert set(api.stored().values()) == {0}


def test_another_persons_conversation_is_unknown_b079(api: Api, endpoint: Lambda) -> None:
    """B079: in the native form it is refused; for a stock client it is a name of its own."""
    theirs = api.send("Hello", sub="ana").json["conversationId"]
    stored, wakes = api.stored(), len(endpoint.events)
    refused = api.send("Hello", sub="ben", conversationId=theirs, userId="ana", user_id="ana")
    assert (refused.status, refused.code) == (404, "not_found")
    assert (api.stored(), len(endpoint.events)) == (stored, wakes)
    own = api("POST", "/chat", {"id": theirs, "messages": [sdk_message("u1", "Hi")]}, sub="ben")
    assert own.status == 303
    assert theirs not in own.headers["location"]
    rows = api.sql("select user_id, conversation_id from inbox order by id")
    assert rows[0] == {"user_id": "ana", "conversation_id": theirs}
    assert rows[1]["user_id"] == "ben"
    assert rows[1]["conversation_id"] != theirs


def test_the_model_of_a_message_becomes_the_conversations(api: Api) -> None:
    first = api.send("Hello", modelId="large").json["conversationId"]
    api.send("More", conversationId=first)
    api.send("Small", conversationId=first, modelId="small")
    assert [row["model_id"] for row in api.sql("select model_id from turns order by accepted_at")] == [
        "large",
        None,
        "small",
    ]
    assert api.sql("select model_id from conversations") == [{"model_id": "small"}]


def test_a_timezone_that_does_not_exist_changes_nothing(api: Api) -> None:
    api.send("Hello", timezone="Europe/Madrid")
    api.send("Hello", timezone="Mars/Olympus")
    assert api.sql("select timezone from users") == [{"timezone": "Europe/Madrid"}]


def test_the_tokens_name_and_zone_count_until_a_message_says_more(api: Api) -> None:
    def send(**body: Any) -> None:
        token = api.token(claims={"name": "Ana", "zoneinfo": "Asia/Tokyo"})
        api("POST", "/chat", {"text": "Hi", **body}, headers={"Authorization": f"Bearer {token}"})

    send()
    assert api.sql("select name, timezone from users") == [{"name": "Ana", "timezone": "Asia/Tokyo"}]
    send(timezone="Europe/Madrid")
    send()
    assert api.sql("select name, timezone from users") == [{"name": "Ana", "timezone": "Europe/Madrid"}]


def test_a_worker_that_froze_while_writing_delays_nobody_for_long(
    make_api: Callable[..., Api], database_url: str
) -> None:
    api = make_api(LIMIT_LANE_WAIT_S="0.1")
    api.send("Hello", sub="ana")
    with psycopg.connect(database_url) as frozen:
        frozen.execute("select 1 from lanes where user_id = 'ana' for share")
        refused = api.send("More", sub="ana", key="k2")
        assert (refused.status, refused.json["error"]["retryable"]) == (503, True)
        assert api.send("Hello", sub="ben").status == 202
    assert api.send("More", sub="ana", key="k2").status == 202
    assert api.count("inbox") == 3


def test_the_same_message_sent_at_once_by_two_sandboxes_is_accepted_once(make_api: Callable[..., Api]) -> None:
    two = [make_api(), make_api()]
    with ThreadPoolExecutor(2) as pool:
        for number in range(10):
            key = f"k{number}"
            replies = list(pool.map(lambda api, key=key: api.send("Hello", key=key), two))
            assert {reply.status for reply in replies} == {202}
            assert len({json.dumps(reply.json) for reply in replies}) == 1
    assert set(two[0].stored().values()) == {1, 10}


def sdk_message(message_id: str, *texts: str) -> dict[str, Any]:
    return {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text} for text in texts]}
