"""What a span may say, and how spans are kept (K3)."""

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.traces.compact import packed, unpacked
from lanekeeper.traces.rules import ATTRIBUTES, allowed, is_plain
from lanekeeper.traces.spans import begin, span
from lanekeeper.traces.tracing import Tracing


def test_an_attribute_that_is_not_listed_is_left_out() -> None:
    assert allowed({"gen_ai.request.model": "small", "gen_ai.prompt": "small", "message": "x"}) == {
        "gen_ai.request.model": "small"
    }


@pytest.mark.parametrize("words", ["two words", "", "a\nb", "ñandú", "x" * 101, "{}", "a,b", "50%"])
def test_a_value_that_could_be_words_is_left_out(words: str) -> None:
    assert allowed({"gen_ai.tool.name": words}) == {}


@given(st.text(min_size=1), st.sampled_from(sorted(ATTRIBUTES)))
def test_whatever_stands_in_a_span_has_the_form_of_an_id(words: str, name: str) -> None:
    kept = allowed({name: words}).get(name, "x")
    assert set(str(kept)) <= set(string.ascii_letters + string.digits + "_.:/@-")


@pytest.mark.parametrize("name", ["small", "web_search", "gpt-5.1/mini", "assistant-2026-11-30", "RuntimeError"])
def test_ids_names_and_versions_are_plain(name: str) -> None:
    assert is_plain(name)


def test_numbers_may_stand_where_their_name_is_listed_and_nothing_does_for_none() -> None:
    assert allowed({"lanekeeper.attempt": 2, "lanekeeper.failure": None}) == {"lanekeeper.attempt": 2}


def test_outside_a_turn_nothing_is_traced() -> None:
    with span("load") as opened:
        opened.note({"lanekeeper.attempt": 1})
    begin("chat small", {}).end()


def test_spans_are_kept_in_the_order_they_began_with_their_parents_places() -> None:
    tracing = Tracing()
    with tracing.turn("ana", {}) as turn:
        with span("load"), span("history"):
            pass
        model = begin("chat small", {"gen_ai.request.model": "small"}, remote=True)
        with span("record"):
            pass
        model.end()
        spans = unpacked(turn.packed())
    assert [(kept["name"], kept["parent"]) for kept in spans] == [
        ("turn", None),
        ("load", 0),
        ("history", 1),
        ("chat small", 0),
        ("record", 0),
    ]
    assert all(kept["start_us"] >= 0 and kept["us"] >= 0 for kept in spans)


def test_an_exception_marks_every_span_it_leaves_by_its_class_alone() -> None:
    tracing = Tracing()
    with tracing.turn("ana", {}) as turn:
        with pytest.raises(ValueError, match="secret"), span("load"):
            raise ValueError("my secret")
        spans = unpacked(turn.packed())
    assert spans[1]["error"] is True
    assert spans[1]["attributes"] == {"error.type": "ValueError"}


def test_a_span_whose_name_could_be_words_is_unnamed() -> None:
    tracing = Tracing()
    with tracing.turn("ana", {}) as turn:
        with span("execute_tool call me at 12"), span("execute_tool web_search"):
            pass
        spans = unpacked(turn.packed())
    assert [kept["name"] for kept in spans] == ["turn", "unnamed", "execute_tool web_search"]


def test_one_turns_spans_are_never_in_the_next_ones_trace() -> None:
    tracing = Tracing()
    with tracing.turn("ana", {}), span("load"):
        begin("chat small", {})
    with tracing.turn("ben", {}) as turn:
        spans = unpacked(turn.packed())
    assert [kept["name"] for kept in spans] == ["turn"]


NAMES = st.text(min_size=1, max_size=20)
SPANS = st.lists(
    st.tuples(
        NAMES,
        st.none() | st.integers(0, 9),
        st.integers(0, 10**9),
        st.integers(0, 10**9),
        st.booleans(),
        st.dictionaries(
            st.sampled_from(sorted(ATTRIBUTES - {"lanekeeper.turn", "lanekeeper.agent", "lanekeeper.attempt"})).filter(
                lambda name: not name.endswith("_ms")
            ),
            st.integers() | NAMES,
        ),
    )
)


@given(SPANS)
def test_what_is_kept_small_is_told_whole(spans: list[Any]) -> None:
    kept = [
        packed(name, parent, start, took, failed=failed, attributes=attributes)
        for name, parent, start, took, failed, attributes in spans
    ]
    assert [tuple(span.values()) for span in unpacked(json.loads(json.dumps(kept)))] == spans


def test_what_the_turns_own_row_tells_is_not_kept_twice() -> None:
    assert packed("turn", None, 0, 5, failed=False, attributes={"lanekeeper.turn": "t"}) == ["turn", -1, 0, 5]
