"""Messages that bring files: in the native form, in the stock client's, and once more after all (D3, D4)."""

from typing import Any

import pytest

from tests.devkit import samples
from tests.integration.accept.api import Api
from tests.integration.accept.handed_over import put, settle


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


@pytest.mark.parametrize("url", ["data:text/plain;base64,\u00e4", "data:text/plain;base64,a", "data:text/plain"])
def test_a_data_url_that_is_none_is_refused(api: Api, url: str) -> None:
    assert api("POST", "/chat", sdk([{"type": "file", "mediaType": "text/plain", "url": url}])).code == "invalid"
    assert (api.count("uploads"), api.count("inbox")) == (0, 0)


def test_a_repeated_message_is_accepted_though_its_file_was_refused_meanwhile(api: Api) -> None:
    upload_id = put(api, samples.png()).json["uploadId"]
    first = api.send("Look", key="k", attachments=[upload_id])
    settle(api, upload_id, "refused", "No.")
    again = api.send("Look", key="k", attachments=[upload_id])
    assert (first.status, again.status, again.json["messageId"]) == (202, 202, first.json["messageId"])
    assert api.send("Look", key="k", attachments=[]).code == "key_reused"


def test_the_list_of_attachments_is_bounded(api: Api) -> None:
    assert api.send("Look", attachments=["upload_x"] * 11).status == 422
    parts = [{"type": "file", "url": "/uploads/upload_x", "mediaType": "image/png"}] * 11
    assert api("POST", "/chat", sdk(parts)).status == 422


def test_a_conversations_files_are_deleted_with_it(api: Api) -> None:
    """And no other file of the person's, or of anybody else's."""
    mine, other = put(api, samples.png()).json["uploadId"], put(api, b"words").json["uploadId"]
    api.send("Look", attachments=[mine])
    conversation = api.sql("select id from conversations")[0]["id"]
    theirs = put(api, b"words", sub="ben").json["uploadId"]
    assert api("DELETE", f"/conversations/{conversation}").status == 204
    assert {row["id"] for row in api.sql("select id from uploads")} == {other, theirs}
    assert {row["upload_id"] for row in api.sql("select upload_id from inbox")} == {other, theirs}
    assert api("GET", f"/uploads/{mine}").status == 404


def test_a_file_outlives_a_conversation_as_long_as_another_one_shows_it(api: Api) -> None:
    both, one, again = (put(api, b"words", name=name).json["uploadId"] for name in ("a.txt", "b.txt", "c.txt"))
    first = api.send("Look", attachments=[both, one]).json["conversationId"]
    second = api.send("And here", attachments=[both]).json["conversationId"]
    api.send("Once more", conversationId=first, attachments=[again])
    api.send("And again", conversationId=first, attachments=[again])
    assert first != second
    # Whoever else shows a file of that name: it is not the same one.
    theirs = put(api, b"words", name="a.txt", sub="ben").json["uploadId"]
    assert api("DELETE", f"/conversations/{first}").status == 204
    assert {row["id"] for row in api.sql("select id from uploads")} == {both, theirs}
    assert api("DELETE", f"/conversations/{second}").status == 204
    assert {row["id"] for row in api.sql("select id from uploads")} == {theirs}
