"""A person's own data: what is noted of them and why, what they want known, and all that is kept (E1, W1, W4)."""

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.integration.accept.api import Api

SAID = "remember that my sister is called Ana"


def noted(
    api: Api, note_id: str, subject: str, body: str, *, person: str = "ana", said: str = SAID, **columns: Any
) -> None:
    """A note, with the message it comes from."""
    sent = api.send(said, sub=person).json
    row = {"replaced_by": None, "expires_at": None, "age": 0, **columns}
    api.sql(
        "insert into notes (id, user_id, kind, subject, body, source, source_message_id, saved_at, expires_at, "
        "replaced_by) values (%s, %s, 'fact', %s, %s, 'stated', %s, "
        "'2030-01-01'::timestamptz - make_interval(secs => %s), %s, %s) returning id",
        *(note_id, person, subject, body, sent["messageId"], row["age"], row["expires_at"], row["replaced_by"]),
    )


def test_a_note_comes_with_the_message_that_says_why(api: Api) -> None:
    noted(api, "n1", "sister name", "sister is called Ana", said=f"{SAID}. {'And so on. ' * 100}")
    [item] = api("GET", "/me/notes").json["items"]
    [message] = api.sql("select id, conversation_id from messages where role = 'user'")
    source = item.pop("sourceMessage")
    assert item == {
        "id": "n1",
        "kind": "fact",
        "subject": "sister name",
        "body": "sister is called Ana",
        "source": "stated",
        "savedAt": "2030-01-01T00:00:00.000Z",
        "expiresAt": None,
    }
    assert (source["id"], source["conversationId"]) == (message["id"], message["conversation_id"])
    assert source["text"].startswith(f"{SAID}. And so on.")
    assert len(source["text"]) <= 300


def test_only_the_persons_own_notes_that_stand_are_shown_the_newest_first_b064(api: Api) -> None:
    for number in range(5):
        noted(api, f"n{number}", f"s{number}", "tea", age=number)
    noted(api, "old", "s0", "coffee", replaced_by="n0")
    noted(api, "gone", "s9", "milk", expires_at="2000-01-01")
    noted(api, "bens", "s0", "water", person="ben")
    seen: list[str] = []
    cursor: str | None = None
    while cursor or not seen:
        page = api("GET", "/me/notes", query={"limit": 2, **({"cursor": cursor} if cursor else {})}).json
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
    assert seen == ["n0", "n1", "n2", "n3", "n4"]
    assert [item["id"] for item in api("GET", "/me/notes", sub="ben").json["items"]] == ["bens"]


def test_a_page_of_notes_ends_early_when_it_grows_too_large(make_api: Callable[..., Api]) -> None:
    api = make_api(LIMIT_PAGE_BYTES="900")
    for number in range(4):
        noted(api, f"n{number}", f"s{number}", "tea", age=number)
    first = api("GET", "/me/notes").json
    assert 1 <= len(first["items"]) < 4
    second = api("GET", "/me/notes", query={"cursor": first["next"]}).json
    assert [item["id"] for item in first["items"] + second["items"]][:3] == ["n0", "n1", "n2"]


def test_a_note_that_is_deleted_is_forgotten_everywhere_w4(api: Api) -> None:
    noted(api, "n1", "sister name", "sister is called Ana")
    api.sql(
        "insert into thread_messages (conversation_id, position, user_id, message_id, message) "
        "select conversation_id, 1, user_id, id, jsonb_build_object('type', 'human', 'id', id, 'content', %s::text) "
        "from messages where role = 'user' returning 1",
        SAID,
    )
    assert api("DELETE", "/me/notes/n1", sub="ben").code == "not_found"
    assert api.count("notes") == 1
    assert api("DELETE", "/me/notes/n1").status == 204
    assert api("DELETE", "/me/notes/n1").status == 404
    assert api("GET", "/me/notes").json == {"items": [], "next": None}
    [row] = api.sql("select message from thread_messages")
    assert "Ana" not in row["message"]["content"]
    assert api.sql("select forgotten from messages where role = 'user'") == [{"forgotten": True}]
    [conversation] = api("GET", "/conversations").json["items"]
    [shown] = api("GET", f"/conversations/{conversation['id']}/messages").json["items"]
    assert shown["parts"] == [{"type": "text", "text": SAID}]


def test_a_note_that_was_replaced_can_be_deleted_too_and_the_one_that_stands_stays_w4(api: Api) -> None:
    noted(api, "n2", "sister name", "sister is called Ana")
    noted(api, "n1", "sister name", "sister is called Eva", said="my sister is called Eva", replaced_by="n2", age=5)
    noted(api, "n0", "sister name", "sister is called Mia", said="my sister is called Mia", replaced_by="n1", age=9)
    assert api("DELETE", "/me/notes/n1", sub="ben").code == "not_found"
    assert api("DELETE", "/me/notes/n1").status == 204
    assert api("DELETE", "/me/notes/n1").status == 404
    assert [item["id"] for item in export(api) if item["type"] == "note"] == ["n2"]
    forgotten = api.sql("select forgotten from messages order by created_at")
    assert [row["forgotten"] for row in forgotten] == [False, True, True]


def test_a_deletion_wakes_a_worker_for_a_message_that_one_may_have_passed_over(api: Api) -> None:
    for note_id, taken, woken in (("n1", "null", 1), ("n2", "'a worker'", 0)):
        noted(api, note_id, "sister name", "sister is called Ana")
        api.sql(f"update lanes set holder = {taken} where user_id = 'ana' returning 1")
        before = len(api.endpoint.events)
        assert api("DELETE", f"/me/notes/{note_id}").status == 204
        assert len(api.endpoint.events) - before == woken


def test_a_deletion_waits_for_a_worker_that_writes_and_no_longer_than_it_may(make_api: Callable[..., Api]) -> None:
    api = make_api(LIMIT_LANE_WAIT_S="0.1")
    noted(api, "n1", "sister name", "sister is called Ana")
    with psycopg.connect(api.database_url) as worker:
        worker.execute("select 1 from lanes where user_id = 'ana' for key share")
        assert api("DELETE", "/me/notes/n1").status == 503
        worker.rollback()
    assert api("DELETE", "/me/notes/n1").status == 204


def test_what_a_person_wants_known_is_kept_until_they_change_it(api: Api) -> None:
    claims = {"name": "Ana Token", "zoneinfo": "Asia/Tokyo", "cognito:groups": []}
    token = {"Authorization": f"Bearer {api.token(claims=claims)}"}
    wanted = {"name": " Ana \n Lima ", "homeCity": "Oslo", "planTier": "pro", "timezone": "Europe/Oslo"}
    budget = {"amount": 150000, "currency": "EUR"}
    known = api("PUT", "/me/profile", {**wanted, "budget": budget}, headers=token).json
    assert known == {
        "id": "ana",
        "name": "Ana Lima",
        "groups": [],
        "timezone": "Europe/Oslo",
        "homeCity": "Oslo",
        "planTier": "pro",
        "budget": budget,
    }
    api("POST", "/chat", {"text": "Hi"}, headers=token)
    assert api("GET", "/me", headers=token).json == known
    changed = api("PUT", "/me/profile", {"budget": None, "homeCity": "Bergen"}, headers=token).json
    assert changed == {**known, "budget": None, "homeCity": "Bergen"}
    assert api("PUT", "/me/profile", {"name": None}, headers=token).json["name"] == "Ana Token"
    assert api("GET", "/me", sub="ben").json["homeCity"] is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": "ben"},
        {"userId": "ben", "homeCity": "Oslo"},
        {"homeCity": ""},
        {"homeCity": " "},
        {"homeCity": 5},
        {"homeCity": "x" * 201},
        {"homeCity": "a\u0007b"},
        {"timezone": "Mars/Olympus"},
        {"timezone": None},
        {"budget": {"amount": 12.5, "currency": "EUR"}},
        {"budget": {"amount": -1, "currency": "EUR"}},
        {"budget": {"amount": 1, "currency": "eur"}},
        {"budget": {"amount": 1}},
        {"budget": {"amount": 1, "currency": "EUR", "of": "ben"}},
    ],
)
def test_a_profile_takes_what_it_knows_and_nothing_else_e1(api: Api, body: dict[str, Any]) -> None:
    assert api("PUT", "/me/profile", body).code == "invalid"
    assert api.count("profiles") == 0


def export(api: Api, person: str = "ana", **query: Any) -> list[dict[str, Any]]:
    """All pages together."""
    items: list[dict[str, Any]] = []
    cursor: str | None = None
    while cursor or not items:
        page = api("GET", "/me/export", sub=person, query={**query, **({"cursor": cursor} if cursor else {})}).json
        items += page["items"]
        cursor = page["next"]
    return items


@pytest.mark.parametrize("limit", [1, 2, 3, 500])
def test_all_that_is_kept_can_be_read_whatever_the_pages(api: Api, limit: int) -> None:
    noted(api, "n1", "sister name", "sister is called Ana")
    noted(api, "n0", "sister name", "sister is called Eva", replaced_by="n1", age=5)
    [first, second] = [row["id"] for row in api.sql("select id from conversations order by id")]
    api.send("And more", conversationId=first)
    api.sql("update messages set position = 1 where parts -> 0 ->> 'text' = 'And more' returning 1")
    noted(api, "bens", "secret", "swims", person="ben", said="I swim")
    items = export(api, limit=limit)
    kinds = ["profile", "note", "note", "conversation", "message", "message", "conversation", "message"]
    assert [item["type"] for item in items] == kinds
    assert items[0]["id"] == "ana"
    assert [(item["id"], item["replaced"]) for item in items[1:3]] == [("n1", False), ("n0", True)]
    assert items[1]["sourceMessage"]["text"] == SAID
    assert [item["id"] for item in items if item["type"] == "conversation"] == [first, second]
    assert [item["parts"][0]["text"] for item in items[4:6]] == ["And more", SAID]
    assert "swim" not in json.dumps(items)
    assert "Ana" not in json.dumps(export(api, "ben", limit=limit))


def test_a_page_of_the_export_stays_below_its_bytes(make_api: Callable[..., Api]) -> None:
    api = make_api(LIMIT_PAGE_BYTES="3000")
    for _ in range(6):
        api.send("word " * 200)
    first = api("GET", "/me/export")
    assert len(first.body) < 3500
    assert first.json["next"]
    assert len(export(api)) == 13


@pytest.mark.parametrize(
    "cursor", ["x", "W10", "WyJub3RlIl0", "WyJub3RlIiwgMSwgMl0", "WyJtZXNzYWdlIiwgImEiLCAtMSwgImIiXQ"]
)
def test_a_place_that_no_page_has_given_is_refused(api: Api, cursor: str) -> None:
    assert api("GET", "/me/export", query={"cursor": cursor}).code == "invalid"
    assert api("GET", "/me/notes", query={"cursor": cursor}).code == "invalid"
