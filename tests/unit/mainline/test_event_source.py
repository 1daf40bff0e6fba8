import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.mainline.event_source import EventReader, EventTooLongError


def read(raw: bytes, *cuts: int, limit: int = 1000) -> list[str]:
    reader = EventReader(limit)
    edges = [0, *sorted(cut % (len(raw) + 1) for cut in cuts), len(raw)]
    pieces = [raw[start:end] for start, end in itertools.pairwise(edges)]
    return [event for piece in pieces for event in reader.feed(piece)] + reader.close()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_with_cr_lf_or_both(end: str):
    raw = f"data: one{end}{end}: comment{end}event: x{end}data:two{end}data: more{end}{end}".encode()
    assert read(raw) == ["one", "two\nmore"]


def test_no_other_character_ends_a_line_b035():
    text = "a\u2028b\u2029c\u0085d\u001ce\u000bf"
    assert read(f"data: {text}\n\n".encode()) == [text]


@given(st.lists(st.integers(0, 10_000), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]))
def test_events_are_the_same_however_their_bytes_are_split(cuts: list[int], end: str):
    lines = ["\ufeffdata: héllo 漢字 \U0001f600", "", ":", "data:", "data: x", "", "id: 7", "", "data: last"]
    raw = end.join(lines).encode()
    assert read(raw, *cuts) == ["héllo 漢字 \U0001f600", "\nx", "last"]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_any_bytes_are_read_without_an_error(raw: bytes, cuts: list[int]):
    assert read(raw, *cuts) == read(raw)


def test_an_event_that_is_too_long_is_given_up():
    with pytest.raises(EventTooLongError):
        read(b"data: " + b"x" * 2000)
    with pytest.raises(EventTooLongError):
        read(b"data: xxxxxxxxxx\n" * 200)
