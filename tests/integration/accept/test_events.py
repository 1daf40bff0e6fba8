"""What API Gateway may hand over, however odd, is answered in the contract's shape; and the log keeps quiet."""

import base64
import io
import json
import logging
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lanekeeper.log import logger
from lanekeeper.postgres import Database
from lanekeeper.redact import hashed
from tests.integration.accept.api import Api

HANDLER = Path(__file__).parents[3] / "functions" / "accept" / "handler.py"


def event(api: Api, **changed: Any) -> dict[str, Any]:
    """An event of a good message, with some of its fields changed."""
    good = {
        "resource": "/{proxy+}",
        "path": "/chat",
        "httpMethod": "POST",
        "headers": {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {api.token()}",
            "Host": "api.example",
        },
        "multiValueHeaders": None,
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": {"proxy": "chat"},
        "stageVariables": None,
        "requestContext": {"path": "/prod/chat", "stage": "prod", "identity": {"sourceIp": "203.0.113.7"}},
        "body": json.dumps({"text": "Hi"}),
        "isBase64Encoded": False,
    }
    return {**good, **changed}


def test_a_body_travels_as_text_or_as_base64(api: Api) -> None:
    body = base64.b64encode(json.dumps({"text": "Grüß Gott"}).encode()).decode()
    assert api.take(event(api)).status == 303
    assert api.take(event(api, body=body, isBase64Encoded=True)).status == 303
    assert api.sql("select payload ->> 'text' as text from inbox order by id") == [
        {"text": "Hi"},
        {"text": "Grüß Gott"},
    ]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"body": None}, 400),
        ({"body": ""}, 400),
        ({"body": "%%%", "isBase64Encoded": True}, 400),
        ({"body": "a", "isBase64Encoded": True}, 400),
        ({"body": '{"text": "\ud800"}'}, 400),
        ({"path": "/chat\ud800"}, 404),
        ({"path": ""}, 405),
        ({"path": "/CHAT"}, 404),
        ({"queryStringParameters": {"x": "\ud800"}}, 400),
        ({"headers": None}, 401),
        ({"headers": {"Host": "a:b:c"}}, 400),
        ({"headers": {"Host": "a:port"}}, 400),
        ({"headers": {"X": "\ud800"}}, 400),
        ({"headers": {"Content-Length": "9" * 30, "Content-Type": "application/json"}}, 401),
        ({"requestContext": {}}, 303),
        ({"requestContext": {"path": "/elsewhere"}}, 303),
        ({"httpMethod": "post"}, 405),
    ],
    ids=repr,
)
def test_an_odd_event_is_answered(shared_api: Api, changed: dict[str, Any], status: int) -> None:
    reply = shared_api.take(event(shared_api, **changed))
    assert reply.status == status
    assert status == 303 or reply.code


def test_two_tokens_are_none(shared_api: Api) -> None:
    token = f"Bearer {shared_api.token()}"
    headers = {"Authorization": [token, token], "Content-Type": ["application/json"]}
    assert shared_api.take(event(shared_api, headers={}, multiValueHeaders=headers)).status == 401


@pytest.mark.parametrize("other", [{}, {"turnId": "turn_1"}, {"Records": []}, {"source": "aws.events"}])
def test_what_is_no_request_is_left_alone(shared_api: Api, other: dict[str, Any]) -> None:
    assert shared_api.gateway(other, None) == {}


def test_a_bug_is_answered_in_the_contracts_shape_without_its_text(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret 4111111111111111")

    monkeypatch.setattr("lanekeeper.inbox.Inbox.accept", broken)
    with logged() as lines:
        reply = api.send("Hello")
    assert (reply.status, reply.code) == (500, "internal")
    assert b"secret" not in reply.body
    assert "4111" not in lines()
    assert "RuntimeError at" in lines()


def test_a_database_that_is_away_is_said_to_be_and_comes_back(
    api: Api, make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    away = make_api(DATABASE_URL="postgresql://lanekeeper_accept@127.0.0.1:9/none")
    reply = away.send("Hello")
    assert (reply.status, reply.code, reply.json["error"]["retryable"]) == (503, "unavailable", True)
    assert reply.headers["retry-after"] == "1"
    api.send("Hello")
    api.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lanekeeper-accept'")
    assert api.send("Hello").status == 202


def test_every_answer_is_private_and_of_its_declared_type(api: Api) -> None:
    for reply in (api.send("Hello"), api("GET", "/conversations"), api("GET", "/nowhere"), api("GET", "/health")):
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"
        assert "set-cookie" not in reply.headers
    assert api("GET", "/me", sub=None).headers["www-authenticate"] == "Bearer"


class Context:
    """What Lambda tells a function of one invocation."""

    function_name = "accept"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:eu-west-1:000000000000:function:accept"
    aws_request_id = "request"


class logged:  # noqa: N801 - reads as a phrase
    """What is written to the function's log in the meantime."""

    def __enter__(self) -> Callable[[], str]:
        self._stream = io.StringIO()
        handler = logger.registered_handler
        assert isinstance(handler, logging.StreamHandler)
        self._handler, self._before = handler, handler.setStream(self._stream)
        return self._stream.getvalue

    def __exit__(self, *_: object) -> None:
        self._handler.setStream(self._before)


@pytest.fixture
def handler(api: Api, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """The function's own handler, driving this test's app."""
    monkeypatch.setattr("lanekeeper.wiring.accept.build", lambda: api.gateway)
    yield runpy.run_path(str(HANDLER))["handler"]
    logger.clear_state()


def test_a_log_line_names_the_person_of_its_own_request_only_b081(api: Api, handler: Callable[..., Any]) -> None:
    """B081: the second line has the second person's hash alone, the third none."""
    with logged() as lines:
        for sub in ("ana", "ben", None):
            headers = {"Authorization": f"Bearer {api.token(sub)}"} if sub else {}
            handler(event(api, httpMethod="GET", path="/me", headers=headers, body=None), Context())
    written = [json.loads(line) for line in lines().splitlines()]
    requests = [line for line in written if line["message"] == "request"]
    assert [line.get("user") for line in requests] == [hashed("ana"), hashed("ben"), None]
    assert [line["status"] for line in requests] == [200, 200, 401]
    assert "ana" not in lines()


def test_a_card_number_appears_nowhere_in_the_log(api: Api, handler: Callable[..., Any]) -> None:
    card = "4111111111111111"
    good = event(api)["headers"]
    with logged() as lines:
        handler(event(api, body=json.dumps({"text": card, "messageId": card})), Context())
        handler(event(api, body=json.dumps({"text": card, "messageId": card, "spoken": card})), Context())
        handler(event(api, path=f"/conversations/{card}", httpMethod="GET"), Context())
        handler(event(api, path=f"/conversations/{card}/messages", httpMethod="GET"), Context())
        handler(event(api, headers={**good, "Idempotency-Key": card, "X-Card": card}), Context())
        handler(event(api, headers={**good, "Authorization": f"Bearer {card}"}), Context())
        handler(event(api, body=card, isBase64Encoded=True), Context())
    assert card not in lines()
    assert api.count("inbox") == 1


def test_nothing_is_dialled_before_the_first_request(
    make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: Database) -> None:
        raise AssertionError("dialled")

    monkeypatch.setattr(Database, "connection", refuse)
    api = make_api()
    assert api("GET", "/health").status == 200
    monkeypatch.undo()
