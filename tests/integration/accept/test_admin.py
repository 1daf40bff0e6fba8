"""What administrators may look at, and that nobody else may (K2, K3, A4, E6)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.accept import Services
from lanekeeper.limits import Limits
from lanekeeper.redact import hashed
from lanekeeper.settings import Settings
from lanekeeper.wiring import accept as wiring
from tests.integration.accept.api import Api, Reply

PRODUCTION = {
    "LANEKEEPER_ENVIRONMENT": "production",
    "AWS_REGION": "eu-west-1",
    "DATABASE_URL": "postgresql://lanekeeper_accept@db.example.com/lanekeeper",
    "DATABASE_CA": "/opt/rds.pem",
    "OIDC_ISSUER": "https://issuer.example.com",
    "OIDC_CLIENTS": "web",
    "MAINLINE_BASE_URL": "https://mainline.example.com/v1",
    "WORKER_FUNCTION": "worker",
    "MAINTENANCE_FUNCTION": "maintenance",
}
ROUTES = ["/admin/turns", "/admin/turns/turn_1", "/admin/costs", "/admin/limits", "/admin/nightly"]

SPANS = [["turn", -1, 0, 900, 0, {"user": "abc"}], ["execute_tool web_search", 0, 100, 250, 1, {"tool": "web_search"}]]

FILL = """
insert into users (id) values ('ben');
insert into conversations (id, user_id, agent_id, title) values ('conv_1', 'ben', 'assistant', 'My secret diary');
insert into turns (id, user_id, conversation_id, agent_id, reply_id, state, attempt, model_id, prompt_version,
                   prompt_hash, accepted_at, timings, failure)
  select 'turn_' || n, 'ben', 'conv_1', 'assistant', 'msg_1', 'failed', 2, 'small', 'v1', 'hash',
         '2026-11-30T23:30:00Z', '{"firstReplyMs": 12.5}', 'model_cut' from generate_series(1, 5) n;
insert into inbox (user_id, conversation_id, turn_id, accepted_turn_id, message_id, idempotency_key, body_hash,
                   agent_id, payload, state)
  values ('ben', 'conv_1', 'turn_1', 'turn_1', 'm1', 'k1', 'h', 'assistant', '{"text": "my secret"}', 'done'),
         ('ben', 'conv_1', 'turn_1', 'turn_0', 'm2', 'k2', 'h', 'assistant', '{"text": "my secret"}', 'folded');
insert into messages (user_id, id, conversation_id, turn_id, role, parts)
  values ('ben', 'm1', 'conv_1', 'turn_1', 'user', '[{"type": "text", "text": "my secret"}]');
insert into costs (user_id, turn_id, call_id, feature, model, micros, status, input_tokens, created_at)
  values ('ben', 'turn_1', 'c1', 'chat', 'small', 100, 'failed', 7, '2026-11-30T23:30:00Z'),
         ('ben', 'turn_1', 'c2', 'chat', 'small', 20, 'exact', 9, '2026-12-01T00:10:00Z'),
         ('eve', 'turn_9', 'c3', 'decisions', 'tiny', 3, 'estimated', 1, '2026-12-01T12:00:00Z');
insert into limit_hits (user_id, turn_id, kind, at)
  values ('ben', 'turn_1', 'model_cut', '2026-11-30T23:30:00Z'), (null, null, 'daily_spend', '2026-12-01T01:00:00Z');
insert into model_requests (user_id, turn_id, body) values ('ben', 'turn_1', '{"messages": ["my secret"]}');
"""


@pytest.fixture
def books(make_api: Callable[..., Api]) -> Api:
    return filled(make_api())


def filled(api: Api) -> Api:
    api.sql(FILL)
    api.sql(
        "insert into traces (turn_id, user_id, spans) values ('turn_1', 'ben', %s)",
        json.dumps(SPANS),
    )
    return api


def ask(api: Api, path: str, groups: list[str] | None = None, **query: Any) -> Reply:
    token = api.token("root", {"cognito:groups": ["admin"] if groups is None else groups})
    return api("GET", path, query=query, headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("path", ROUTES)
def test_who_is_no_administrator_is_refused_and_leaves_no_look(books: Api, path: str) -> None:
    assert books("GET", path, sub=None).status == 401
    for groups in ([], ["staff"], ["Admin", "administrator"]):
        refused = ask(books, path, groups)
        assert (refused.status, refused.code) == (403, "forbidden")
    assert books.count("audit_log") == 0


@pytest.mark.parametrize("path", ROUTES)
def test_a_parameter_that_a_route_does_not_know_is_refused_and_leaves_no_look(books: Api, path: str) -> None:
    refused = ask(books, path, status="failed")
    assert (refused.status, refused.code) == (422, "invalid")
    assert "status" in refused.json["error"]["message"]
    assert ask(books, path, [], status="failed").status == 403
    assert books.count("audit_log") == 0


def test_a_turns_story_tells_everything_but_what_was_said_k3(books: Api) -> None:
    reply = ask(books, "/admin/turns/turn_1")
    story = reply.json
    assert reply.status == 200
    assert (story["state"], story["attempt"], story["failure"], story["modelId"]) == ("failed", 2, "model_cut", "small")
    assert (story["promptVersion"], story["promptHash"]) == ("v1", "hash")
    assert (story["user"], story["acceptedAt"]) == (hashed("ben"), "2026-11-30T23:30:00Z")
    assert story["timings"] == {"firstReplyMs": 12.5}
    assert [(row["turnId"], row["state"]) for row in story["messages"]] == [("turn_1", "done"), ("turn_0", "folded")]
    assert [(row["micros"], row["status"]) for row in story["costs"]] == [(100, "failed"), (20, "exact")]
    assert story["micros"] == 120
    assert [row["kind"] for row in story["limits"]] == ["model_cut"]
    assert story["tools"] == [{"name": "web_search", "startMs": 0.1, "ms": 0.25, "failed": True}]
    assert [span["parent"] for span in story["trace"]["spans"]] == [None, 0]
    said = json.dumps({name: value for name, value in story.items() if name != "requests"})
    assert "secret" not in said
    assert "ben" not in said


def test_the_exact_requests_are_shown_in_dev_a4(books: Api) -> None:
    story = ask(books, "/admin/turns/turn_1").json
    assert [sent["body"] for sent in story["requests"]] == [{"messages": ["my secret"]}]


def test_the_exact_requests_are_shown_nowhere_else(
    make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = wiring.services(Settings.from_environment(PRODUCTION), Limits())
    assert real.shows_requests is False
    monkeypatch.setattr(
        wiring, "Services", lambda **given: Services(**{**given, "shows_requests": real.shows_requests})
    )
    books = filled(make_api())
    story = ask(books, "/admin/turns/turn_1").json
    assert story["requests"] == []
    assert "read requests" not in {row["action"] for row in books.sql("select action from audit_log")}


def test_a_folded_turns_id_tells_the_story_of_the_turn_it_joined(books: Api) -> None:
    assert ask(books, "/admin/turns/turn_0").json["id"] == "turn_1"


@pytest.mark.parametrize("turn_id", ["turn_99", "x", "%00", "a%20b", "t" * 300])
def test_an_unknown_turn_is_not_found(books: Api, turn_id: str) -> None:
    reply = ask(books, f"/admin/turns/{turn_id}")
    assert (reply.status, reply.code) == (404, "not_found")


def test_turns_are_listed_page_by_page_newest_first(books: Api) -> None:
    first = ask(books, "/admin/turns", limit=3).json
    assert [turn["id"] for turn in first["items"]] == ["turn_5", "turn_4", "turn_3"]
    second = ask(books, "/admin/turns", limit=3, before=first["next"]).json
    assert [turn["id"] for turn in second["items"]] == ["turn_2", "turn_1"]
    assert second["next"] is None
    assert second["items"][1]["micros"] == 120
    assert "secret" not in json.dumps([first, second])


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"state": "failed"}, ["turn_5", "turn_4", "turn_3", "turn_2", "turn_1"]),
        ({"state": "done"}, ["turn_8"]),
        ({"user": hashed("eve")}, ["turn_8", "turn_7"]),
        ({"user": hashed("nobody")}, []),
        ({"failure": "turn_time"}, ["turn_7"]),
        ({"failure": "model_cut", "user": hashed("ben"), "before": "turn_3"}, ["turn_2", "turn_1"]),
        ({"failure": "model_cut", "user": hashed("eve")}, []),
    ],
)
def test_turns_are_searched_by_state_person_and_failure(books: Api, filters: dict[str, str], found: list[str]) -> None:
    books.sql(
        "insert into users (id) values ('eve'); "
        "insert into conversations (id, user_id, agent_id, title) values ('conv_2', 'eve', 'assistant', ''); "
        "insert into turns (id, user_id, conversation_id, agent_id, reply_id, state, failure) "
        "values ('turn_7', 'eve', 'conv_2', 'assistant', 'msg_7', 'stopped', 'turn_time'), "
        "('turn_8', 'eve', 'conv_2', 'assistant', 'msg_8', 'done', null)"
    )
    assert [turn["id"] for turn in ask(books, "/admin/turns", **filters).json["items"]] == found
    [look] = books.sql("select detail from audit_log")
    assert look["detail"] == {name: value for name, value in filters.items() if name != "before"}


@pytest.mark.parametrize("filters", [{"state": "lost"}, {"user": "ben"}, {"user": "A" * 16}, {"failure": "a b"}])
def test_what_no_turn_can_be_is_not_searched_for(books: Api, filters: dict[str, str]) -> None:
    assert ask(books, "/admin/turns", **filters).status == 422
    assert books.sql("select 1 from audit_log") == []


def test_costs_are_told_by_day_feature_and_model_k2(books: Api) -> None:
    page = ask(books, "/admin/costs", **{"from": "2026-11-30", "to": "2026-12-01"}).json
    told = [(row["day"], row["feature"], row["model"], row["micros"], row["failed"]) for row in page["items"]]
    assert told == [
        ("2026-12-01", "chat", "small", 20, 0),
        ("2026-12-01", "decisions", "tiny", 3, 0),
        ("2026-11-30", "chat", "small", 100, 1),
    ]
    assert page["micros"] == 123
    assert page["people"] == [
        {"user": hashed("ben"), "calls": 2, "micros": 120},
        {"user": hashed("eve"), "calls": 1, "micros": 3},
    ]
    one_day = ask(books, "/admin/costs", **{"from": "2026-11-30", "to": "2026-11-30"}).json
    assert one_day["micros"] == 100


def test_limits_are_told_by_day_and_kind_e6(books: Api) -> None:
    page = ask(books, "/admin/limits", **{"from": "2026-11-30", "to": "2026-12-01"}).json
    assert page["items"] == [
        {"day": "2026-12-01", "kind": "daily_spend", "hits": 1, "people": 0},
        {"day": "2026-11-30", "kind": "model_cut", "hits": 1, "people": 1},
    ]


@pytest.mark.parametrize(
    "days",
    [
        {"from": "2026-12-02", "to": "2026-12-01"},
        {"from": "2020-01-01", "to": "2026-12-01"},
        {"to": "9999-12-31"},
        {"to": "0001-01-05"},
        {"from": "yesterday"},
    ],
)
@pytest.mark.parametrize("path", ["/admin/costs", "/admin/limits"])
def test_days_that_make_no_span_are_refused(books: Api, path: str, days: dict[str, str]) -> None:
    assert ask(books, path, **days).status == 422


def test_every_look_is_written_down(books: Api) -> None:
    for path in ROUTES:
        ask(books, path)
    looks = [(row["actor"], row["action"]) for row in books.sql("select actor, action from audit_log order by id")]
    assert looks == [
        ("root", "list turns"),
        ("root", "read turn"),
        ("root", "read requests"),
        ("root", "read costs"),
        ("root", "read spenders"),
        ("root", "read limits"),
        ("root", "read nights"),
    ]
    [asked] = books.sql("select detail from audit_log where action = 'read turn'")
    assert asked["detail"] == {"turn": "turn_1"}


async def test_accepts_own_role_sees_of_others_only_what_these_looks_tell(
    books: Api, connect_as: Any, url_as: Callable[[str], str]
) -> None:
    accept = await connect_as("accept", user_id="root")
    assert await (await accept.execute("select id from turns")).fetchall() == []
    for table in ("costs", "traces", "limit_hits", "model_requests", "audit_log"):
        row = await (
            await (await connect_as()).execute(
                "select has_table_privilege('lanekeeper_accept', %s, 'select') as may", [table]
            )
        ).fetchone()
        assert row == {"may": False}, table


def test_the_document_names_the_administrators_routes(books: Api) -> None:
    document = books("GET", "/openapi.json", sub=None).json
    assert {path for path in document["paths"] if path.startswith("/admin/")} == {
        "/admin/turns",
        "/admin/turns/{turnId}",
        "/admin/costs",
        "/admin/limits",
        "/admin/nightly",
    }
    assert "403" in document["paths"]["/admin/turns"]["get"]["responses"]


def test_an_administrator_reads_whom_each_night_covered_and_when_the_pass_last_ran_w3_b052(books: Api) -> None:
    books.sql(
        """
        insert into nightly_runs (night, covered, skipped, failed, ran_at) values
          ('2026-11-29', 7, 1, 2, '2026-11-30T01:00Z'), ('2026-11-30', 3, 0, 0, '2026-12-01T01:00Z'),
          ('2025-01-01', 1, 0, 0, '2025-01-02T01:00Z');
        insert into nightly_people (night, user_id, state) values ('2026-11-30', 'ben', 'sent');
        update nightly_clock set ran_at = '2026-12-01T01:00Z';
        """
    )
    found = ask(books, "/admin/nightly", **{"from": "2026-11-01", "to": "2026-12-01"}).json
    assert found["items"] == [
        {"night": "2026-11-30", "covered": 3, "skipped": 0, "failed": 0, "open": 1, "ranAt": "2026-12-01T01:00:00Z"},
        {"night": "2026-11-29", "covered": 7, "skipped": 1, "failed": 2, "open": 0, "ranAt": "2026-11-30T01:00:00Z"},
    ]
    assert (found["next"], found["lastRunAt"]) == (None, "2026-12-01T01:00:00Z")
