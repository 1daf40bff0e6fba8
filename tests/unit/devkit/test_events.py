"""The events of the local API Gateway have the form that the real one sends, and answers are read as it reads them."""

import base64
import json

import pytest

from tests.devkit import events
from tests.devkit.events import MalformedAnswerError


def event(
    path: str = "/chat", query: str = "", headers: list[tuple[str, str]] | None = None, body: bytes = b"", **more
):
    return events.event(
        more.pop("method", "POST"),
        path,
        query,
        headers or [("Host", "127.0.0.1:8000")],
        body,
        to=events.route("POST", path),
        stage=more.pop("stage", ""),
        source_ip="127.0.0.1",
        host="127.0.0.1:8000",
    )


@pytest.mark.parametrize(
    ("method", "path", "function"),
    [
        ("GET", "/chat/conv_1/stream", "stream"),
        ("POST", "/chat/conv_1/stream", "accept"),
        ("GET", "/chat//stream", "accept"),
        ("GET", "/chat/conv_1/stream/", "accept"),
        ("GET", "/chat/conv_1", "accept"),
        ("GET", "/", "accept"),
        ("GET", "/assets/index.js", "accept"),
    ],
)
def test_only_the_stream_of_a_conversation_goes_to_the_stream_function(method: str, path: str, function: str) -> None:
    route = events.route(method, path)
    assert route.function == function
    assert route.streamed == (function == "stream")


def test_repeated_headers_and_parameters_are_all_there_and_the_last_one_stands_alone() -> None:
    made = event(query="a=1&a=2&B=3", headers=[("X-One", "first"), ("x-one", "second"), ("Host", "here")])
    assert made["multiValueHeaders"]["X-One"] == ["first", "second"]
    assert made["headers"]["X-One"] == "second"
    assert made["multiValueQueryStringParameters"] == {"a": ["1", "2"], "B": ["3"]}
    assert made["queryStringParameters"] == {"a": "2", "B": "3"}


def test_parameters_that_differ_in_case_stay_apart() -> None:
    assert event(query="turn=a&Turn=b")["queryStringParameters"] == {"turn": "a", "Turn": "b"}


def test_what_is_not_there_is_null() -> None:
    made = event(path="/")
    for name in ("pathParameters", "queryStringParameters", "multiValueQueryStringParameters", "body"):
        assert made[name] is None
    assert made["isBase64Encoded"] is False


def test_a_body_travels_as_base64_whatever_its_bytes_are() -> None:
    body = bytes(range(256))
    made = event(body=body)
    assert made["isBase64Encoded"] is True
    assert base64.b64decode(made["body"]) == body


def test_the_path_stays_as_it_was_sent_and_its_parameters_are_decoded() -> None:
    made = event(path="/conversations/a%20b")
    assert made["path"] == "/conversations/a%20b"
    assert made["pathParameters"] == {"proxy": "conversations/a b"}


def test_the_stage_stands_in_the_context_and_not_in_the_path() -> None:
    made = event(path="/chat", stage="staging")
    assert made["path"] == "/chat"
    assert made["requestContext"]["path"] == "/staging/chat"
    assert made["requestContext"]["stage"] == "staging"


def test_an_answer_is_read_with_all_its_headers() -> None:
    payload = {
        "statusCode": 200,
        "headers": {"content-type": "text/plain", "x-one": "shadowed"},
        "multiValueHeaders": {"x-one": ["a", "b"]},
        "body": base64.b64encode(b"\x00\xff").decode(),
        "isBase64Encoded": True,
    }
    answer = events.answer(json.dumps(payload).encode())
    assert (answer.status, answer.body) == (200, b"\x00\xff")
    assert answer.headers == [("x-one", "a"), ("x-one", "b"), ("content-type", "text/plain")]


def test_an_answer_without_a_type_is_json() -> None:
    assert ("Content-Type", "application/json") in events.answer(b'{"statusCode": 204}').headers


def test_headers_that_are_the_gateways_own_are_not_handed_through() -> None:
    payload = {
        "statusCode": 401,
        "headers": {"WWW-Authenticate": "Bearer", "Content-Length": "7", "Connection": "close", "content-type": "a/b"},
        "body": "nothing",
    }
    names = dict(events.answer(json.dumps(payload).encode()).headers)
    assert names == {"x-amzn-Remapped-WWW-Authenticate": "Bearer", "content-type": "a/b"}


@pytest.mark.parametrize(
    "payload",
    [
        b"null",
        b'"text"',
        b"{}",
        b"not json",
        b'{"statusCode": "many"}',
        b'{"statusCode": 200, "headers": ["a"]}',
        b'{"statusCode": 200, "body": {"a": 1}}',
        b'{"statusCode": 200, "headers": {"a": "b\\r\\nc: d"}}',
        b'{"statusCode": 200, "body": "%%%", "isBase64Encoded": true}',
        b'{"statusCode": 200, "body": "' + b"a" * events.EVENT_LIMIT + b'"}',
    ],
    ids=lambda payload: payload[:40].decode(),
)
def test_an_answer_that_is_none_is_told_apart(payload: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        events.answer(payload)


def test_a_prelude_is_read_however_it_was_cut() -> None:
    whole = b'{"statusCode": 200, "headers": {"content-type": "text/event-stream"}, "cookies": ["a=b"]}' + b"\0" * 8
    for end in range(len(whole)):
        assert events.split_prelude(whole[:end]) is None
    split = events.split_prelude(whole + b"data: 1\0\n\n")
    assert split is not None
    answer, rest = split
    assert answer.headers == [("content-type", "text/event-stream"), ("Set-Cookie", "a=b")]
    assert rest == b"data: 1\0\n\n"


def test_a_stream_that_begins_without_a_prelude_is_malformed() -> None:
    with pytest.raises(MalformedAnswerError):
        events.split_prelude(b"data: hello\n\n" + b"\0" * 8)
    with pytest.raises(MalformedAnswerError):
        events.split_prelude(b"a" * 70_000)
