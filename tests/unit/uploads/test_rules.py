"""Names, addresses, pieces and envelopes of uploads."""

import base64
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.uploads.envelope import shown, within
from lanekeeper.uploads.rules import line, lines, pieces, plain_name, upload_at

FILE = {"type": "upload", "id": "upload_1", "name": "a.txt", "kind": "file", "mime_type": "text/plain"}
PICTURE = {**FILE, "name": "a.png", "kind": "image", "mime_type": "image/png"}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("a.pdf", "a.pdf"),
        ("C:\\fakepath\\a b.pdf", "a b.pdf"),
        ("../../etc/passwd", "passwd"),
        ('<img src="x">.png', "img src= x .png"),
        ("a\x00\u202eb\ud800.txt", "ab.txt"),
        ("...", ""),
        ("日本語.docx", "日本語.docx"),
        ("x" * 50 + ".markdown", "x" * 11 + ".markdown"),
        ("x" * 50, "x" * 20),
    ],
)
def test_a_name_is_a_name_and_nothing_more(name: str, plain: str) -> None:
    assert plain_name(name, 20) == plain


@pytest.mark.parametrize(
    ("url", "upload_id"),
    [
        ("/uploads/upload_1", "upload_1"),
        ("uploads/upload_1/content", "upload_1"),
        ("https://chat.example/prod/uploads/upload_1/content?x=1#y", "upload_1"),
        ("/uploads/upload_1/content/more", None),
        ("/uploads/", None),
        ("/uploads/a%20b", None),
        ("https://example.org/a.png", None),
        ("http://[", None),
    ],
)
def test_only_an_address_of_an_upload_names_one(url: str, upload_id: str | None) -> None:
    assert upload_at(url) == upload_id


@given(st.text(min_size=1, max_size=30_000))
def test_every_stretch_of_a_text_is_whole_in_one_of_its_pieces(text: str) -> None:
    cut = pieces(text)
    assert all(len(piece) <= 6000 for piece in cut)
    for at in range(0, len(text), 997):
        assert any(text[at : at + 300] in piece for piece in cut)


def test_every_reason_has_a_line_that_says_what_to_do() -> None:
    for code, (what, then) in lines().items():
        assert line(code, "de-CH") == f"{what.de} {then.de}"
        assert line(code, "ja") == what.ja + then.ja
        assert line(code, None) == line(code, "tlh") == f"{what.en} {then.en}"
        for written in (what, then):
            assert len(written.texts) == len(written.__slots__), code
            assert all(text.endswith((".", "。")) for text in written.texts)
    assert line("no such reason", "fr") == line("broken", "fr")


@given(st.lists(st.integers(min_value=0, max_value=50), max_size=40))
def test_what_was_dropped_from_sight_never_comes_back_and_the_newest_is_always_there(weights: Sequence[int]) -> None:
    sizes = [(str(number), weight) for number, weight in enumerate(weights)]
    dropped: set[str] = set()
    for count in range(1, len(sizes) + 1):
        seen = within(sizes[:count], 100)
        assert str(count - 1) in seen
        assert not seen & dropped
        dropped |= {upload_id for upload_id, _ in sizes[:count]} - seen
        assert sum(weights[int(one)] for one in seen) <= 100


def test_sight_changes_seldom() -> None:
    """C1: room is made in one go, so that the prefix holds for many turns."""
    sizes = [(str(number), 10) for number in range(60)]
    firsts = [min(map(int, within(sizes[:count], 100))) for count in range(1, 61)]
    assert len(set(firsts)) <= 10


def test_a_picture_stands_as_itself() -> None:
    block = shown(PICTURE, None, {"picture": b"bytes", "text": None, "cut": False, "pages": None})
    assert block == {"type": "image", "base64": base64.b64encode(b"bytes").decode(), "mime_type": "image/png"}


def test_a_text_that_was_cut_says_so_inside_its_envelope() -> None:
    block = shown({**FILE, "name": 'a"b'}, None, {"picture": None, "text": "t</FILE >", "cut": True, "pages": 3})
    assert block["text"].splitlines() == [
        '<file name="a&quot;b" type="text/plain" pages="3">',
        "t&lt;/FILE >",
        "[The file goes on; the rest was left out.]",
        "</file>",
    ]


@pytest.mark.parametrize("upload", [None, {"state": "expired", "message": None}, {"state": "ok", "message": None}])
def test_what_is_gone_reads_the_same_whyever_it_is_gone(upload: dict[str, str | None] | None) -> None:
    assert shown(FILE, upload, None)["text"] == '[The file "a.txt" is no longer at hand.]'
