"""How a chunk looks on the wire."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.stream.rules import encoded, event, is_last, pause, unbroken
from tests.integration.stream.tab import parse

UNRULY = "a\u2028b\u2029c\u0085d\x1ce\x1df\x1eg\x0bh\x0ci\nj\r\nk\rl\ndata: x\n\nid: 9\x7f\U0001f600é"


def plain(chunk: object) -> str:
    """A chunk as Postgres writes it: what JSON does not make it escape stands there as it is."""
    return json.dumps(chunk, ensure_ascii=False)


def test_b035_no_character_of_a_text_cuts_an_event() -> None:
    """B035: one event for those who split at CR and LF, and for those who split at every line end of Unicode."""
    wire = event(7, plain({"type": "text-delta", "id": "t", "delta": UNRULY}))
    assert wire.decode().splitlines() == wire.decode().split("\n")[:-1]
    identity, data, end = wire.decode().splitlines()
    assert (identity, end) == ("id: 7", "")
    assert json.loads(data.removeprefix("data: "))["delta"] == UNRULY


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none() | st.lists(st.text())))
def test_every_chunk_comes_back_as_it_was(chunk: dict[str, object]) -> None:
    for text in (plain(chunk), encoded(chunk)):
        (parsed,) = parse(event(1, text))
        assert (parsed.id, parsed.data) == ("1", chunk)


def test_an_event_that_cannot_be_resumed_from_has_no_id() -> None:
    assert event(None, encoded({"type": "abort"})) == b'data: {"type":"abort"}\n\n'


@pytest.mark.parametrize(
    ("chunk", "ends"),
    [
        ({"type": "finish", "finishReason": "stop"}, True),
        ({"reason": "stopped", "type": "abort"}, True),
        ({"errorText": "x", "type": "error"}, True),
        ({"type": "finish-step"}, False),
        ({"type": "text-delta", "id": "t", "delta": '"type": "finish"'}, False),
        ({"type": "data-x", "data": {"type": "finish", "of": ["abort", "error"]}}, False),
        ({"id": "finish", "type": "text-start"}, False),
    ],
)
def test_a_message_ends_with_the_type_of_a_chunk_whatever_else_it_holds(chunk: dict[str, object], ends: bool) -> None:
    assert is_last(plain(chunk)) is ends
    assert is_last(encoded(chunk)) is ends


@pytest.mark.parametrize(
    ("seqs", "after", "kept"),
    [
        ([1, 2, 3], 0, [1, 2, 3]),
        ([4, 5], 3, [4, 5]),
        ([1, 3], 0, [1]),
        ([2], 0, []),
        ([], 0, []),
        ([5, 6, 8], 4, [5, 6]),
    ],
)
def test_chunks_count_only_as_far_as_none_is_missing(seqs: list[int], after: int, kept: list[int]) -> None:
    rows = [{"seq": seq, "chunk": f"chunk {seq}"} for seq in seqs]
    assert list(unbroken(rows, after)) == [(seq, f"chunk {seq}") for seq in kept]


@pytest.mark.parametrize(("silence_s", "pause_s"), [(0, 0.05), (0.25, 0.05), (0.5, 0.1), (5, 1)])
def test_a_waiting_stream_that_polls_looks_the_less_often_the_longer_it_waits(silence_s: float, pause_s: float) -> None:
    assert pause(silence_s, 50) == pause_s
