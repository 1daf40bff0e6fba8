"""The list, the history and the feed of a person, page by page; changing, deleting, stopping."""

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.integration.accept.api import Api


def begin(api: Api, *texts: str, sub: str = "ana") -> str:
    """A conversation with these messages, none of them answered."""
    first = str(api.send(texts[0], sub=sub).json["conversationId"])
    for text in texts[1:]:
        api.send(text, sub=sub, conversationId=first)
    return first


def fill(api: Api, conversation: str, count: int, chars: int = 5, sub: str = "ana") -> None:
    """A transcript: questions and answers in turn, each with its place."""
    api.sql(
        "insert into messages (user_id, id, conversation_id, turn_id, role, parts, metadata, position) "
        "select %s, 'm' || n, %s, 'turn_' || n, case n %% 2 when 1 then 'user' else 'assistant' end, "
        "jsonb_build_array(jsonb_build_object('type', 'text', 'text', rpad(n::text, %s, 'é'))), "
        '\'{"modelId": "small"}\', n from generate_series(1, %s) n',
        sub,
        conversation,
        chars,
        count,
    )


def pages(api: Api, path: str, parameter: str, **query: Any) -> list[list[str]]:
    """The ids of every page, until there is no next one."""
    found: list[list[str]] = []
    place: dict[str, Any] = {}
    while True:
        reply = api("GET", path, query={**query, **place})
        assert reply.status == 200, reply.body
        found.append([item["id"] for item in reply.json["items"]])
        if reply.json["next"] is None:
            return found
        place = {parameter: reply.json["next"]}


def test_the_list_shows_what_was_written_in_last_first(api: Api) -> None:
    one, two, three = begin(api, "One"), begin(api, "Two"), begin(api, "Three")
    begin(api, "Another's", sub="ben")
    api.send("More", conversationId=one)
    reply = api("GET", "/conversations").json
    assert [item["id"] for item in reply["items"]] == [one, three, two]
    assert reply["next"] is None
    assert set(reply["items"][0]) == {"id", "title", "agentId", "modelId", "createdAt", "updatedAt"}
    assert reply["items"][0]["title"] == "One"
    assert reply["items"][0]["updatedAt"].endswith("Z")


def test_the_list_is_paged_without_gaps(api: Api) -> None:
    ids = [begin(api, f"Talk {number}") for number in range(5)]
    assert pages(api, "/conversations", "cursor", limit=2) == [ids[:2:-1], ids[2:0:-1], ids[:1]]


def test_a_person_without_conversations_has_an_empty_list(api: Api) -> None:
    assert api("GET", "/conversations").json == {"items": [], "next": None}


def test_history_is_paged_from_the_newest_and_waiting_messages_stand_last(api: Api) -> None:
    conversation = begin(api, "Waiting 1", "Waiting 2")
    waiting = [row["id"] for row in api.sql("select id from messages order by created_at")]
    fill(api, conversation, 7)
    path = f"/conversations/{conversation}/messages"
    assert [item["id"] for item in api("GET", path).json["items"]] == [*(f"m{n}" for n in range(1, 8)), *waiting]
    expected = [["m7", *waiting], ["m4", "m5", "m6"], ["m1", "m2", "m3"]]
    assert pages(api, path, "before", limit=3) == expected
    assert pages(api, path, "before", limit=1) == [
        [one] for one in [*reversed(waiting), *(f"m{n}" for n in range(7, 0, -1))]
    ]


def test_a_message_of_the_history_is_a_ui_message(api: Api) -> None:
    conversation = begin(api, "Hello")
    fill(api, conversation, 2)
    answer = api("GET", f"/conversations/{conversation}/messages").json["items"][1]
    assert answer == {
        "id": "m2",
        "role": "assistant",
        "parts": [{"type": "text", "text": "2éééé"}],
        "metadata": {"modelId": "small", "turnId": "turn_2", "createdAt": answer["metadata"]["createdAt"]},
    }


def test_a_long_history_comes_in_pages_below_a_megabyte_b039(api: Api) -> None:
    """B039: 8 MB of messages, of which a page holds less than 1 MB, and says that there is more."""
    conversation = begin(api, "Hello")
    fill(api, conversation, 128, chars=32_000)
    path, seen = f"/conversations/{conversation}/messages", 0
    query: dict[str, str] = {}
    while True:
        reply = api("GET", path, query=query)
        assert len(reply.body) < 1_000_000
        seen += len(reply.json["items"])
        if reply.json["next"] is None:
            break
        query = {"before": reply.json["next"]}
    assert seen == 129


def test_one_message_larger_than_a_page_still_comes(make_api: Callable[..., Api]) -> None:
    api = make_api(LIMIT_PAGE_BYTES="1000")
    conversation = begin(api, "Hello")
    fill(api, conversation, 2, chars=2_000)
    assert [len(page) for page in pages(api, f"/conversations/{conversation}/messages", "before")] == [1, 1, 1]


def test_the_feed_holds_what_the_staff_wrote_and_where_to_look_from(api: Api) -> None:
    conversation = begin(api, "Hello")
    path = f"/conversations/{conversation}/feed"
    assert api("GET", path).json == {"items": [], "next": None}
    api.sql(
        "insert into messages (user_id, id, conversation_id, role, parts) select 'ana', 's' || n, %s, 'staff', '[]' "
        "from generate_series(1, 2) n",
        conversation,
    )
    first = api("GET", path, query={"limit": 1}).json
    second = api("GET", path, query={"after": first["next"]}).json
    assert [item["id"] for item in first["items"] + second["items"]] == ["s1", "s2"]
    assert api("GET", path, query={"after": second["next"]}).json == {"items": [], "next": second["next"]}


def test_a_conversation_is_renamed(api: Api) -> None:
    conversation = begin(api, "Hello")
    reply = api("PATCH", f"/conversations/{conversation}", {"title": "  Next \n summer "})
    assert (reply.status, reply.json["id"], reply.json["title"]) == (200, conversation, "Next summer")
    api.send("More", conversationId=conversation)
    assert api.sql("select title from conversations") == [{"title": "Next summer"}]


def test_a_conversations_model_is_chosen_and_left_to_the_turn_again(api: Api) -> None:
    conversation = str(api.send("Hello", modelId="large").json["conversationId"])
    path = f"/conversations/{conversation}"
    title = api("GET", "/conversations").json["items"][0]["title"]
    for model_id in ("small", None, "large", None):
        reply = api("PATCH", path, {"modelId": model_id})
        assert (reply.status, reply.json["modelId"], reply.json["title"]) == (200, model_id, title)
        assert api.sql("select model_id from conversations") == [{"model_id": model_id}]
    both = api("PATCH", path, {"title": "Summer", "modelId": "small"}).json
    assert (both["title"], both["modelId"]) == ("Summer", "small")
    assert api("PATCH", path, {"title": "Winter"}).json["modelId"] == "small"


def test_a_model_that_there_is_not_is_refused_and_nothing_changes(api: Api) -> None:
    conversation = str(api.send("Hello", modelId="large").json["conversationId"])
    before = api.sql("select * from conversations")
    reply = api("PATCH", f"/conversations/{conversation}", {"modelId": "gpt-unknown", "title": "Other"})
    assert (reply.status, reply.code) == (422, "unknown_model")
    for body in ({"modelId": 5}, {"modelId": ""}, {"modelId": "small", "title": None}, {}, {"other": 1}):
        reply = api("PATCH", f"/conversations/{conversation}", body)
        assert (body, reply.status, reply.code) == (body, 422, "invalid")
    assert api("PATCH", "/conversations/conv_nowhere", {"modelId": "small"}).status == 404
    assert api.sql("select * from conversations") == before


def test_a_deleted_conversation_is_gone_with_everything_in_it(api: Api) -> None:
    conversation, kept = begin(api, "Hello", "More"), begin(api, "Kept")
    fill(api, conversation, 4)
    running = api.sql("update turns set state = 'running' where conversation_id = %s returning id", conversation)[0][
        "id"
    ]
    api.sql("insert into reply_chunks (turn_id, user_id, seq, chunk) values (%s, 'ana', 1, '{}')", running)
    other = api.sql("select id from turns where conversation_id = %s", kept)[0]["id"]
    for turn_id in (running, other):
        api.sql("insert into traces (turn_id, user_id, spans) values (%s, 'ana', '[]')", turn_id)
        api.sql("insert into model_requests (turn_id, user_id, body) values (%s, 'ana', '{}')", turn_id)
    assert api("DELETE", f"/conversations/{conversation}").status == 204
    assert api("DELETE", f"/conversations/{conversation}").status == 404
    assert api("GET", f"/conversations/{conversation}/messages").status == 404
    assert [row["id"] for row in api.sql("select id from conversations")] == [kept]
    assert {name: api.count(name) for name in ("turns", "inbox", "messages", "reply_chunks")} == {
        "turns": 1,
        "inbox": 1,
        "messages": 1,
        "reply_chunks": 0,
    }
    for name in ("traces", "model_requests"):
        assert api.sql(f"select turn_id from {name}") == [{"turn_id": other}]
    assert api.sql("select stop_turn_id from lanes")[0]["stop_turn_id"] is not None, "its running turn is told to stop"


def test_stop_reaches_the_turn_that_runs(api: Api) -> None:
    conversation = begin(api, "Hello", "More")
    [first, second] = [row["id"] for row in api.sql("select id from turns order by accepted_at")]
    api.sql("update turns set state = 'running' where id = %s", first)
    reply = api("POST", f"/chat/{conversation}/stop")
    assert (reply.status, reply.json) == (202, {"state": "stopping", "turnId": first})
    assert api.sql("select stop_turn_id from lanes") == [{"stop_turn_id": first}]
    assert api.sql("select state from turns where id = %s", second) == [{"state": "queued"}]


def test_stop_ends_turns_that_nobody_has_begun(api: Api) -> None:
    conversation = begin(api, "Hello", "More")
    turns = [row["id"] for row in api.sql("select id from turns order by accepted_at")]
    reply = api("POST", f"/chat/{conversation}/stop")
    assert (reply.status, reply.json) == (202, {"state": "stopped", "turnId": turns[0]})
    assert {row["state"] for row in api.sql("select state from turns")} == {"stopped"}
    assert {row["state"] for row in api.sql("select state from inbox")} == {"done"}
    assert [row["position"] for row in api.sql("select position from messages order by created_at")] == [1, 2]
    assert api("POST", f"/chat/{conversation}/stop").json == {"state": "idle", "turnId": None}


def test_stop_with_nothing_to_stop_says_so(api: Api) -> None:
    conversation = begin(api, "Hello")
    api.sql("update turns set state = 'done'")
    reply = api("POST", f"/chat/{conversation}/stop")
    assert (reply.status, reply.json) == (200, {"state": "idle", "turnId": None})


def test_stop_in_one_conversation_leaves_another_alone(api: Api) -> None:
    one, two = begin(api, "Hello"), begin(api, "Hello")
    api.sql("update turns set state = 'running' where conversation_id = %s", one)
    assert api("POST", f"/chat/{two}/stop").json["state"] == "stopped"
    assert api.sql("select stop_turn_id from lanes") == [{"stop_turn_id": None}]


def test_a_stock_clients_name_for_a_conversation_works_everywhere(api: Api) -> None:
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}
    api("POST", "/chat", {"id": "chat-1", "messages": [message]})
    assert len(api("GET", "/conversations/chat-1/messages").json["items"]) == 1
    assert api("POST", "/chat/chat-1/stop").status == 202
    assert api("PATCH", "/conversations/chat-1", {"title": "Named"}).json["title"] == "Named"
    assert api("DELETE", "/conversations/chat-1").status == 204


@pytest.mark.parametrize("conversation", ["theirs", "conv_nowhere"])
def test_another_persons_conversation_is_as_unknown_as_none_b079(api: Api, conversation: str) -> None:
    """B079: on every path the same answer, and nothing is written."""
    if conversation == "theirs":
        conversation = begin(api, "Hello", sub="ana")
    before = api.sql("select c.*, l.stop_turn_id from conversations c join lanes l on l.user_id = c.user_id")
    replies = [
        api("GET", f"/conversations/{conversation}/messages", sub="eve"),
        api("GET", f"/conversations/{conversation}/feed", sub="eve"),
        api("PATCH", f"/conversations/{conversation}", {"title": "Mine"}, sub="eve"),
        api("DELETE", f"/conversations/{conversation}", sub="eve"),
        api("POST", f"/chat/{conversation}/stop", sub="eve"),
        api.send("Hi", conversationId=conversation, sub="eve"),
    ]
    assert [reply.status for reply in replies] == [404] * 6
    assert len({json.dumps(reply.json["error"]["message"]) for reply in replies}) == 1
    assert api.sql("select c.*, l.stop_turn_id from conversations c join lanes l on l.user_id = c.user_id") == before
    assert api.sql("select count(*) as n from users where id = 'eve'") == [{"n": 0}]


def test_a_deletion_waits_for_a_worker_only_so_long(make_api: Callable[..., Api], database_url: str) -> None:
    api = make_api(LIMIT_LANE_WAIT_S="0.1")
    conversation = begin(api, "Hello")
    with psycopg.connect(database_url) as frozen:
        frozen.execute("select 1 from lanes for share")
        assert api("DELETE", f"/conversations/{conversation}").status == 503
        assert api("POST", f"/chat/{conversation}/stop").status == 503
    assert api("DELETE", f"/conversations/{conversation}").status == 204
