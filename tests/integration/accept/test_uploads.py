"""``/uploads``: taken in once, told of, handed back to its owner alone, and nothing read on the way (D3, D4)."""

import hashlib
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.devkit import events, samples
from tests.integration.accept.api import Api, Reply

LIMIT = 4 * 1024 * 1024
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def put(api: Api, content: bytes, kind: str = "application/octet-stream", *, sub: str = "ana", **named: str) -> Reply:
    """Send a file alone."""
    headers = {"Content-Type": kind}
    if "name" in named:
        headers["Content-Disposition"] = f'attachment; filename="{named["name"]}"'
    if "key" in named:
        headers["Idempotency-Key"] = named["key"]
    return api("POST", "/uploads", content, sub=sub, headers=headers)


def form(*fields: tuple[str, str | None, bytes], boundary: str = "--x9") -> bytes:
    """A form's body: name, file name, content."""
    parts = []
    for name, filename, content in fields:
        of_file = f'; filename="{filename}"' if filename is not None else ""
        head = f'Content-Disposition: form-data; name="{name}"{of_file}\r\nContent-Type: text/html'
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode()


def settle(api: Api, upload_id: str, state: str, message: str | None = None) -> None:
    """As a worker leaves it."""
    kept = "content" if state == "ok" else "null"
    api.sql(
        f"update uploads set state = %s, message = %s, content = {kept} where id = %s",
        state,
        message,
        upload_id,
    )


def test_a_file_is_put_in_quarantine_and_on_the_lane(api: Api) -> None:
    content = samples.pdf("Hello.")
    reply = put(api, content, "application/pdf", name="a plan.pdf")
    assert reply.status == 202, reply.body
    assert reply.json == {"uploadId": reply.json["uploadId"], "kind": "file", "verdict": "pending"}
    (row,) = api.sql("select * from uploads")
    assert (row["user_id"], row["name"], row["media_type"]) == ("ana", "a plan.pdf", "application/pdf")
    assert (row["state"], row["content"], row["sha256"]) == (
        "quarantined",
        content,
        hashlib.sha256(content).hexdigest(),
    )
    (inbox,) = api.sql("select * from inbox")
    assert (inbox["kind"], inbox["state"], inbox["upload_id"]) == ("upload", "new", row["id"])
    assert inbox["conversation_id"] is None
    assert api.sql("select ready_at is not null as armed from lanes") == [{"armed": True}]
    assert api.endpoint.turns == [row["id"]]


def test_a_form_and_the_file_alone_are_the_same(api: Api) -> None:
    content = samples.png()
    headers = {"Content-Type": "multipart/form-data; boundary=--x9"}
    sent = api("POST", "/uploads", form(("note", None, b"hi"), ("file", "día.png", content)), headers=headers)
    assert (sent.status, sent.json["kind"]) == (202, "image")
    assert api.sql("select name, media_type, content from uploads") == [
        {"name": "día.png", "media_type": "image/png", "content": content}
    ]


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (samples.png(), "holiday.pdf", "image/png"),
        (samples.jpeg(), "", "image/jpeg"),
        (samples.gif(), "a.txt", "image/gif"),
        (samples.webp(), "a", "image/webp"),
        (samples.pdf("x"), "cat.png", "application/pdf"),
        (samples.docx(samples.paragraph("x")), "a.zip", DOCX),
        (b"just words", "report.pdf", "text/plain"),
        (b"# Title", "notes.md", "text/markdown"),
        (b"a,b\n1,2\n", "table.CSV", "text/csv"),
        ("Ünïcode".encode("utf-16"), "a.txt", "text/plain"),
        ("café".encode("cp1252"), "a.txt", "text/plain"),
    ],
)
def test_what_a_file_is_says_its_content_and_never_its_name(
    api: Api, content: bytes, name: str, media_type: str
) -> None:
    assert put(api, content, "image/svg+xml", name=name).status == 202
    assert api.sql("select media_type from uploads") == [{"media_type": media_type}]


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 422, "empty_file"),
        (b"\x7fELF\x02\x01\x01\0\0\0", 415, "unsupported_file"),
        (b"PK\x03\x04" + b"\0" * 60, 415, "unsupported_file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 60, 415, "unsupported_file"),
        (b"words\0and a NUL", 415, "unsupported_file"),
        (b"RIFF\x04\0\0\0WAVEfmt ", 415, "unsupported_file"),
        (b"a" * (LIMIT + 1), 413, "too_large"),
    ],
)
def test_what_cannot_be_read_is_said_at_once_and_nothing_is_kept(
    api: Api, content: bytes, status: int, code: str
) -> None:
    reply = put(api, content, "application/pdf", name="a.pdf")
    assert (reply.status, reply.code) == (status, code)
    assert reply.json["error"]["nextStep"]
    assert (api.count("uploads"), api.count("inbox"), api.endpoint.events) == (0, 0, [])


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"nonsense", "multipart/form-data; boundary=x", 422),
        (b"nonsense", "multipart/form-data", 422),
        (form(("file", "a.txt", b"hi"))[:-8], "multipart/form-data; boundary=--x9", 422),
        (form(("note", None, b"hi")), "multipart/form-data; boundary=--x9", 422),
        (form(("a", "a.txt", b"hi"), ("b", "b.txt", b"ho")), "multipart/form-data; boundary=--x9", 422),
        (form(("file", "a.txt", b"")), "multipart/form-data; boundary=--x9", 422),
        (form(("file", "a.txt", b"a" * (LIMIT + 1))), "multipart/form-data; boundary=--x9", 413),
        (form(*[("n", None, b"x")] * 30, ("file", "a.txt", b"hi")), "multipart/form-data; boundary=--x9", 422),
    ],
)
def test_a_form_that_is_none_is_refused(api: Api, body: bytes, content_type: str, status: int) -> None:
    reply = api("POST", "/uploads", body, headers={"Content-Type": content_type})
    assert (reply.status, bool(reply.code)) == (status, True)
    assert api.count("uploads") == 0


def test_the_largest_file_fits_into_the_event_that_carries_it(api: Api) -> None:
    """6 MB carry 4 MB, in base64 and as a form."""
    body = form(("file", "a" * 200 + ".txt", b"a" * LIMIT))
    headers = [("Content-Type", "multipart/form-data; boundary=--x9"), ("Authorization", "Bearer " + "t" * 16_000)]
    event = events.event(
        "POST",
        "/uploads",
        "",
        headers,
        body,
        to=events.route("POST", "/uploads"),
        stage="production",
        source_ip="203.0.113.7",
        host="api.example:443",
    )
    assert len(json.dumps(event)) < events.EVENT_LIMIT
    reply = api("POST", "/uploads", body, headers={"Content-Type": "multipart/form-data; boundary=--x9"})
    assert reply.status == 202
    upload_id = reply.json["uploadId"]
    settle(api, upload_id, "ok")
    back = api("GET", f"/uploads/{upload_id}/content")
    assert (back.status, len(back.body)) == (200, LIMIT)
    # And back again: what a function answers may be as large.
    assert len(back.body) * 4 / 3 < events.EVENT_LIMIT


def test_a_repeat_with_the_same_key_is_the_same_upload(api: Api) -> None:
    first = put(api, b"one", key="k1")
    again = put(api, b"one", key="k1")
    assert again.json == first.json
    assert (api.count("uploads"), api.count("inbox")) == (1, 1)
    other = put(api, b"two", key="k1")
    assert (other.status, other.code) == (409, "key_reused")
    assert put(api, b"two", key="k1", sub="ben").status == 202
    assert put(api, b"one").json["uploadId"] != first.json["uploadId"]
    settle(api, first.json["uploadId"], "refused", "No.")
    assert put(api, b"one", key="k1").json == {**first.json, "verdict": "refused", "message": "No."}


def test_another_persons_upload_is_as_unknown_as_none_b079(api: Api) -> None:
    upload_id = put(api, b"mine").json["uploadId"]
    settle(api, upload_id, "ok")
    answers = [
        api("GET", f"/uploads/{one}{more}", sub="ben")
        for one in (upload_id, "upload_nowhere", "..", "a%20b")
        for more in ("", "/content")
    ]
    assert {answer.status for answer in answers} == {404}
    assert len({answer.body for answer in answers[:4]}) == 1
    sent = api.send("Look", sub="ben", attachments=[upload_id])
    assert (sent.status, sent.code) == (422, "unknown_upload")
    assert api.count("messages") == 0


@pytest.mark.parametrize("state", ["quarantined", "checking"])
def test_what_is_in_quarantine_is_pending_and_is_not_handed_back(api: Api, state: str) -> None:
    upload_id = put(api, samples.png()).json["uploadId"]
    settle(api, upload_id, state)
    assert api("GET", f"/uploads/{upload_id}").json == {"uploadId": upload_id, "kind": "image", "verdict": "pending"}
    assert api("GET", f"/uploads/{upload_id}/content").status == 404


@pytest.mark.parametrize("state", ["refused", "sensitive"])
def test_what_was_not_taken_says_why_and_goes_along_with_no_message(api: Api, state: str) -> None:
    upload_id = put(api, samples.png()).json["uploadId"]
    settle(api, upload_id, state, "Please do not.")
    told = api("GET", f"/uploads/{upload_id}").json
    assert told == {"uploadId": upload_id, "kind": "image", "verdict": state, "message": "Please do not."}
    assert api("GET", f"/uploads/{upload_id}/content").status == 404
    sent = api.send("Look", attachments=[upload_id])
    assert (sent.status, sent.code, sent.json["error"]["message"]) == (422, "upload_refused", "Please do not.")


def test_what_is_kept_no_longer_is_gone_the_moment_its_time_is_over(api: Api) -> None:
    upload_id = put(api, b"words").json["uploadId"]
    settle(api, upload_id, "ok")
    api.sql("update uploads set expires_at = lanekeeper.now()")
    assert api("GET", f"/uploads/{upload_id}").status == 410
    assert api("GET", f"/uploads/{upload_id}/content").status == 404
    assert api.send("Look", attachments=[upload_id]).code == "unknown_upload"


@pytest.mark.parametrize(
    ("content", "kind"), [(samples.png(), "image/png"), (b"<script>alert(1)</script>", "application/octet-stream")]
)
def test_it_is_handed_back_to_be_saved_and_never_to_be_opened(api: Api, content: bytes, kind: str) -> None:
    upload_id = put(api, content, name='a"b\r\n.html').json["uploadId"]
    settle(api, upload_id, "ok")
    reply = api("GET", f"/uploads/{upload_id}/content")
    headers = {name.lower(): value for name, value in reply.headers.items()}
    assert (reply.body, headers["content-type"]) == (content, kind)
    assert headers["content-disposition"].startswith("attachment; filename*=UTF-8''a")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"].startswith("sandbox")
    assert headers["cache-control"] == "no-store"


def test_a_message_carries_its_uploads_in_their_order(api: Api) -> None:
    image, file = put(api, samples.png(), name="a.png").json["uploadId"], put(api, b"words").json["uploadId"]
    assert api.send("Look", attachments=[file, image, file]).status == 202
    (message,) = api.sql("select parts from messages")
    assert message["parts"] == [
        {"type": "file", "mediaType": "text/plain", "filename": "file", "url": f"/uploads/{file}/content"},
        {"type": "file", "mediaType": "image/png", "filename": "a.png", "url": f"/uploads/{image}/content"},
        {"type": "text", "text": "Look"},
    ]
    (row,) = api.sql("select payload from inbox where kind = 'text'")
    assert [one["id"] for one in row["payload"]["attachments"]] == [file, image]
    conversation = api.sql("select id from conversations")[0]["id"]
    (shown,) = api("GET", f"/conversations/{conversation}/messages").json["items"]
    assert shown["parts"] == message["parts"]


def test_a_file_may_come_without_words(api: Api) -> None:
    image = put(api, samples.png(), name="a cat.png").json["uploadId"]
    assert api.send("", attachments=[image]).status == 202
    assert api.send(" ").status == 422
    assert api.sql("select title from conversations") == [{"title": "a cat.png"}]
    assert [part["type"] for part in api.sql("select parts from messages")[0]["parts"]] == ["file"]


def sdk(parts: list[dict[str, Any]], message_id: str = "m1") -> dict[str, Any]:
    return {"id": "c1", "trigger": "submit-message", "messages": [{"id": message_id, "role": "user", "parts": parts}]}


@pytest.mark.parametrize(
    "address",
    ["/uploads/{}", "/uploads/{}/content", "uploads/{}/content", "https://chat.example/prod/uploads/{}/content?a=1"],
)
def test_a_stock_client_names_an_upload_by_its_address(api: Api, address: str) -> None:
    image = put(api, samples.png()).json["uploadId"]
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "file", "mediaType": "image/png", "url": address.format(image)},
    ]
    assert api("POST", "/chat", sdk(parts)).status == 303
    (row,) = api.sql("select payload from inbox where kind = 'text'")
    assert [one["id"] for one in row["payload"]["attachments"]] == [image]


def test_a_stock_clients_small_file_inside_the_request_is_an_upload_like_any_other(api: Api) -> None:
    url = "data:text/plain;base64,d29yZHM="
    parts = [{"type": "file", "mediaType": "text/plain", "filename": "a.txt", "url": url}]
    for _ in range(2):
        assert api("POST", "/chat", sdk(parts)).status == 303
    assert api.sql("select name, content, state from uploads") == [
        {"name": "a.txt", "content": b"words", "state": "quarantined"}
    ]
    # First in line: it is read before the message is answered.
    assert [row["kind"] for row in api.sql("select kind from inbox order by id")] == ["upload", "text"]
    assert api("POST", "/chat", sdk([{**parts[0], "url": "data:text/plain,others"}])).code == "key_reused"
    large = sdk([{**parts[0], "url": "data:text/plain," + "a" * 300_000}], "m2")
    refused = api("POST", "/chat", large)
    assert (refused.status, "/uploads" in refused.json["error"]["nextStep"]) == (413, True)


def test_a_repeated_message_is_accepted_though_its_file_was_refused_meanwhile(api: Api) -> None:
    upload_id = put(api, samples.png()).json["uploadId"]
    first = api.send("Look", key="k", attachments=[upload_id])
    settle(api, upload_id, "refused", "No.")
    again = api.send("Look", key="k", attachments=[upload_id])
    assert (first.status, again.status, again.json["messageId"]) == (202, 202, first.json["messageId"])
    assert api.send("Look", key="k", attachments=[]).code == "key_reused"


def test_too_many_at_a_time_and_too_much_in_all_are_put_off(make_api: Callable[..., Api]) -> None:
    api = make_api(LIMIT_UPLOADS_WAITING="2", LIMIT_UPLOADS_KEPT_BYTES="10")
    assert [put(api, b"abc").status for _ in range(2)] == [202, 202]
    waiting = put(api, b"abc")
    assert (waiting.status, waiting.code, waiting.json["error"]["retryable"]) == (429, "too_many_uploads", True)
    assert put(api, b"abc", sub="ben").status == 202
    api.sql("update uploads set state = 'ok' where user_id = 'ana'")
    assert put(api, b"abcdefgh").code == "too_much_kept"


def test_the_list_of_attachments_is_bounded(api: Api) -> None:
    assert api.send("Look", attachments=["upload_x"] * 11).status == 422
    parts = [{"type": "file", "url": "/uploads/upload_x", "mediaType": "image/png"}] * 11
    assert api("POST", "/chat", sdk(parts)).status == 422


def test_a_name_is_a_name_and_nothing_else(api: Api) -> None:
    named = "attachment; filename*=UTF-8''" + quote('../../etc/pass\u202ewd<b>"[x].txt')
    api("POST", "/uploads", b"words", headers={"Content-Type": "text/plain", "Content-Disposition": named})
    put(api, b"words", name="é" * 300 + ".markdown")
    names = [row["name"] for row in api.sql("select name from uploads order by created_at")]
    assert names[0] == "passwd b x .txt"
    assert len(names[1]) == 120
    assert names[1].endswith(".markdown")
