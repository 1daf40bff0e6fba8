"""``/uploads``: taken in once, told of, handed back to its owner alone, and nothing read on the way (D3, D4)."""

import hashlib
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from tests.devkit import events, samples
from tests.integration.accept.api import Api
from tests.integration.accept.handed_over import put, settle

LIMIT = 4 * 1024 * 1024
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def form(*fields: tuple[str, str | None, bytes], boundary: str = "--x9") -> bytes:
    """A form's body: name, file name, content."""
    parts = []
    for name, filename, content in fields:
        of_file = f'; filename="{filename}"' if filename is not None else ""
        head = f'Content-Disposition: form-data; name="{name}"{of_file}\r\nContent-Type: text/html'
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode()


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
    upload_id = put(api, b"words", key="k").json["uploadId"]
    settle(api, upload_id, "ok")
    api.sql("update uploads set expires_at = lanekeeper.now()")
    assert put(api, b"words", key="k").code == "gone"
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


def test_too_many_at_a_time_and_too_much_in_all_are_put_off(make_api: Callable[..., Api]) -> None:
    api = make_api(LIMIT_UPLOADS_WAITING="2", LIMIT_UPLOADS_KEPT_BYTES="10")
    assert [put(api, b"abc").status for _ in range(2)] == [202, 202]
    waiting = put(api, b"abc")
    assert (waiting.status, waiting.code, waiting.json["error"]["retryable"]) == (429, "too_many_uploads", True)
    assert put(api, b"abc", sub="ben").status == 202
    api.sql("update uploads set state = 'ok' where user_id = 'ana'")
    assert put(api, b"abcdefgh").code == "too_much_kept"


def test_a_name_is_a_name_and_nothing_else(api: Api) -> None:
    named = "attachment; filename*=UTF-8''" + quote('../../etc/pass\u202ewd<b>"[x].txt')
    api("POST", "/uploads", b"words", headers={"Content-Type": "text/plain", "Content-Disposition": named})
    put(api, b"words", name="é" * 300 + ".markdown")
    names = [row["name"] for row in api.sql("select name from uploads order by created_at")]
    assert names[0] == "passwd b x .txt"
    assert len(names[1]) == 120
    assert names[1].endswith(".markdown")
