"""Bad input gets a clear refusal of the contract's shape; nothing is stored, and nothing is ever a 500."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest

from tests.integration.accept.api import KEY, Api
from tests.unit.people import issuer

KB = 1024
USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}


def sdk(**changed: Any) -> dict[str, Any]:
    return {"id": "chat-1", "messages": [USER], **changed}


def part(**changed: Any) -> dict[str, Any]:
    return sdk(messages=[{**USER, "parts": [{"type": "text", "text": "Hi", **changed}]}])


BODIES: dict[str, tuple[int, Any]] = {
    "nothing": (400, b""),
    "no JSON": (400, b"text=Hi"),
    "half of a JSON": (400, b'{"text": "Hi"'),
    "another encoding": (400, '{"text": "Hi"}'.encode("utf-16")),
    "bytes that are no UTF-8": (400, b'{"text": "\xff"}'),
    "a byte order mark": (400, b'\xef\xbb\xbf{"text": "Hi"}'),
    "nested without end": (400, b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "a number without end": (400, b'{"text": "Hi", "n": ' + b"9" * 5000 + b"}"),
    "a list": (422, []),
    "a text": (422, "Hi"),
    "null": (422, b"null"),
    "an empty object": (422, {}),
    "empty text": (422, {"text": ""}),
    "white space": (422, {"text": " \n\t\u2003"}),
    "control characters alone": (422, {"text": "\x1c\x1d"}),
    "100 kB of text": (422, {"text": "a" * 100 * KB}),
    "one character too many": (422, {"text": "é" * 32_001}),
    "300 kB": (413, {"text": "a" * 300 * KB}),
    "1 byte too many": (413, b" " * (256 * KB + 1)),
    "B058: 150,000 different words": (413, {"text": " ".join(f"{number:05x}" for number in range(150_000))}),
    "B039: an image of 5 MB": (413, {"text": "Hi", "image": "A" * 6_900_000}),
    "NUL in the text": (422, b'{"text": "a\\u0000b"}'),
    "NUL in an unknown field": (422, b'{"text": "Hi", "x": {"y": ["\\u0000"]}}'),
    "NUL in a name": (422, b'{"text": "Hi", "\\u0000": 1}'),
    "a raw NUL": (400, b'{"text": "a\x00b"}'),
    "a lone high surrogate": (422, b'{"text": "\\ud83d"}'),
    "a lone low surrogate": (422, b'{"text": "\\uDE00 Hi"}'),
    "surrogates the wrong way round": (422, b'{"text": "\\ude00\\ud83d"}'),
    "a lone surrogate elsewhere": (422, b'{"id": "c", "messages": [{"x": "\\udfff"}]}'),
    "text that is a number": (422, {"text": 5}),
    "text that is null": (422, {"text": None}),
    "text that is a list": (422, {"text": ["Hi"]}),
    "spoken as a word": (422, {"text": "Hi", "spoken": "yes"}),
    "a zone that is a number": (422, {"text": "Hi", "timezone": 5}),
    "an unknown agent": (422, {"text": "Hi", "agentId": "nobody"}),
    "an unknown model": (422, {"text": "Hi", "modelId": "gpt-9"}),
    "an agent of the wrong type": (422, {"text": "Hi", "agentId": {}}),
    "attachments of the wrong type": (422, {"text": "Hi", "attachments": "a"}),
    "an unknown upload": (422, {"text": "Hi", "attachments": ["up_1"]}),
    "an id with a slash": (422, {"text": "Hi", "conversationId": "a/b"}),
    "an id with a space": (422, {"text": "Hi", "messageId": "a b"}),
    "an id of dots": (422, {"text": "Hi", "messageId": ".."}),
    "an empty id": (422, {"text": "Hi", "messageId": ""}),
    "an id with an accent": (422, {"text": "Hi", "messageId": "é"}),
    "a long id": (422, {"text": "Hi", "messageId": "a" * 201}),
    "an id that is a number": (422, {"text": "Hi", "messageId": 7}),
    "an id with a line end": (422, {"text": "Hi", "messageId": "a\n"}),
    "an unknown conversation": (404, {"text": "Hi", "conversationId": "conv_1"}),
    "SDK: no id": (422, {"messages": [USER]}),
    "SDK: no messages": (422, sdk(messages=[])),
    "SDK: messages of the wrong type": (422, sdk(messages={"0": USER})),
    "SDK: no user": (422, sdk(messages=[{**USER, "role": "assistant"}])),
    "SDK: a message that is a text": (422, sdk(messages=["Hi"])),
    "SDK: no parts": (422, sdk(messages=[{**USER, "parts": []}])),
    "SDK: parts of the wrong type": (422, sdk(messages=[{**USER, "parts": "Hi"}])),
    "SDK: text of the wrong type": (422, part(text=5)),
    "SDK: empty text": (422, part(text="")),
    "SDK: a file from elsewhere": (422, part(type="file", url="https://example.org/a.png", mediaType="image/png")),
    "SDK: a file that is no base64": (422, part(type="file", url="data:image/png;base64,AA=", mediaType="image/png")),
    "SDK: a file that is nothing": (422, part(type="file", url="data:,", mediaType="image/png")),
    "SDK: a file without data": (422, part(type="file", url="data:image/png", mediaType="image/png")),
    "SDK: a file of no known kind": (415, part(type="file", url="data:image/png;base64,AA==", mediaType="image/png")),
    "SDK: a message without id": (422, sdk(messages=[{"role": "user", "parts": USER["parts"]}])),
    "SDK: an id with a slash": (422, sdk(id="a/b")),
    "SDK: another trigger": (422, sdk(trigger="resume")),
    "SDK: too long": (422, part(text="a" * 32_001)),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_bad_body_is_refused_and_nothing_is_stored(shared_api: Api, name: str) -> None:
    status, body = BODIES[name]
    reply = shared_api("POST", "/chat", body)
    assert (reply.status, bool(reply.code)) == (status, True)
    assert reply.headers["content-type"] == "application/json"
    assert set(shared_api.stored().values()) == {0}
    assert shared_api.endpoint.events == []


def tokens() -> dict[str, str]:
    now = datetime.now(UTC)
    fresh, stranger = issuer.claims(now), issuer.rsa_key()
    return {
        "no token": "",
        "no bearer": "Basic YTpi",
        "nonsense": "Bearer nonsense",
        "expired": issuer.sign(issuer.claims(now - timedelta(hours=2)), KEY),
        "forged": issuer.sign(fresh, stranger),
        "none": jwt.encode(fresh, "", algorithm="none", headers={"kid": "k1"}),
        "a shared secret": jwt.encode(fresh, "s" * 32, algorithm="HS256", headers={"kid": "k1"}),
        "wrong audience": issuer.sign(issuer.claims(now, client_id="other"), KEY),
        "an ID token": issuer.sign(issuer.claims(now, token_use="id"), KEY),
        "another issuer": issuer.sign(issuer.claims(now, iss="https://evil.example"), KEY),
    }


ROUTES = [
    ("POST", "/chat", {"text": "Hi"}),
    ("POST", "/chat/c/stop", None),
    ("GET", "/conversations", None),
    ("PATCH", "/conversations/c", {"title": "x"}),
    ("DELETE", "/conversations/c", None),
    ("GET", "/conversations/c/messages", None),
    ("GET", "/conversations/c/feed", None),
    ("GET", "/me", None),
    ("GET", "/agents", None),
    ("GET", "/models", None),
]


@pytest.mark.parametrize("name", tokens())
def test_a_bad_token_opens_no_route(shared_api: Api, name: str) -> None:
    token = tokens()[name]
    header = token if " " in token or not token else f"Bearer {token}"
    for method, path, body in ROUTES:
        reply = shared_api(method, path, body, sub=None, headers={"Authorization": header} if header else {})
        assert (method, path, reply.status, reply.code) == (method, path, 401, "unauthorized")
    assert set(shared_api.stored().values()) == {0}


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=latin-1", "application/jsonp"],
)
def test_only_json_is_read(shared_api: Api, kind: str) -> None:
    reply = shared_api("POST", "/chat", {"text": "Hi"}, headers={"Content-Type": kind})
    assert (reply.status, reply.code) == (415, "not_json")


def test_json_is_read_whatever_way_its_type_is_written(api: Api) -> None:
    for kind in ("Application/JSON", 'application/json; charset="UTF-8"', "application/json;charset=utf-8"):
        assert api("POST", "/chat", {"text": "Hi"}, headers={"Content-Type": kind}).status == 303


@pytest.mark.parametrize("key", ["", "a b", "é", "a" * 201, "a\tb"])
def test_a_key_that_is_none_is_refused(shared_api: Api, key: str) -> None:
    assert shared_api("POST", "/chat", {"text": "Hi"}, headers={"Idempotency-Key": key}).status == 422


def test_what_is_escaped_but_whole_is_taken(api: Api) -> None:
    body = b'{"text": "\\ud83d\\ude00 \\\\u0000 \\\\ud83d \\u2028"}'
    assert api("POST", "/chat", body).status == 303
    assert api.sql("select payload ->> 'text' as text from inbox") == [{"text": "\U0001f600 \\u0000 \\ud83d \u2028"}]


def test_the_longest_text_is_taken_whole(api: Api) -> None:
    text = "é" * 32_000
    assert api("POST", "/chat", {"text": text}).status == 303
    assert api.sql("select payload ->> 'text' as text from inbox") == [{"text": text}]


def test_a_text_of_many_different_words_is_taken_b058(api: Api) -> None:
    text = " ".join(f"{number:x}" for number in range(6_000))[:31_000]
    assert api("POST", "/chat", {"text": text}).status == 303
    assert api("POST", "/chat", {"text": f"ok {'x' * 3000}"}).status == 303


PLACES = ["a%2Fb", "a/b", "a%20b", "%C3%A9", "..", "%2e%2e", "a%3Fb", "a%23b", "a%00b", "a" * 201, "a%0Ab", "%ED%A0%80"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/chat/{}/stop", None),
        ("GET", "/conversations/{}/messages", None),
        ("GET", "/conversations/{}/feed", None),
        ("PATCH", "/conversations/{}", {"title": "x"}),
        ("DELETE", "/conversations/{}", None),
    ],
    ids=["stop", "messages", "feed", "rename", "delete"],
)
def test_an_id_that_nobody_can_have_is_unknown_b041(
    shared_api: Api, place: str, method: str, path: str, body: Any
) -> None:
    reply = shared_api(method, path.format(place), body)
    assert (reply.status in (404, 405), bool(reply.code)) == (True, True)


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "x"},
        {"cursor": "W10"},
        {"limit": "0"},
        {"limit": "51"},
        {"limit": "x"},
        {"cursor": "é"},
        {"cursor": "WyIyMDI2IiwiYSIsLTFd"},
    ],
)
def test_a_page_that_there_is_not_is_refused(shared_api: Api, query: dict[str, str]) -> None:
    reply = shared_api("GET", "/conversations", query=query)
    assert (reply.status, reply.code) == (422, "invalid")


@pytest.mark.parametrize("title", ["", "  ", "a" * 81, 5, None])
def test_a_title_that_is_none_is_refused(shared_api: Api, title: Any) -> None:
    assert shared_api("PATCH", "/conversations/c", {"title": title}).status == 422


def test_unknown_addresses_and_methods_are_said_to_be_so(shared_api: Api) -> None:
    for path in (
        "/nowhere",
        "/chat/",
        "/chat/x",
        "/conversations/",
        "/docs",
        "/conversations/a/b/c",
        "//",
        "/assets/../index.html",
    ):
        reply = shared_api("GET", path)
        assert (path, reply.status in (404, 405), bool(reply.code)) == (path, True, True)
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND"):
        reply = shared_api(method, "/chat")
        assert (reply.status, reply.headers["allow"]) == (405, "POST")
    assert shared_api("POST", "/conversations/c").headers["allow"] == "DELETE, PATCH"
    assert shared_api("POST", "/chat/c/stream").headers["allow"] == "GET"


def test_no_refusal_shows_what_was_sent(shared_api: Api) -> None:
    card = "4111 1111 1111 1111"
    for body in ({"text": card, "spoken": card}, {"text": card, "messageId": card}, {"id": "c", "messages": [card]}):
        reply = shared_api("POST", "/chat", body)
        assert reply.status == 422
        assert card not in json.dumps(reply.json)
