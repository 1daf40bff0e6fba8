"""What may come in, and what makes two messages the same."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.inbox.rules import Incoming, is_id, is_key, is_storable, key_of, title_of, told_state

MESSAGE = Incoming(key="k", text="Hello", message_id="m")


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Other"},
        {"conversation": "c"},
        {"may_begin": False},
        {"again": True},
        {"agent_id": "a"},
        {"model_id": "m"},
        {"spoken": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_message_that_asks_for_something_else_is_another_one(change: dict[str, Any]) -> None:
    assert replace(MESSAGE, **change).fingerprint != MESSAGE.fingerprint


def test_the_same_message_from_another_zone_is_the_same() -> None:
    assert replace(MESSAGE, timezone="Asia/Tokyo", key="x", message_id="y").fingerprint == MESSAGE.fingerprint


def test_fields_cannot_be_shifted_into_one_another() -> None:
    assert (
        replace(MESSAGE, agent_id="a", model_id=None).fingerprint
        != replace(MESSAGE, agent_id=None, model_id="a").fingerprint
    )


@pytest.mark.parametrize("text", ["a", "conv_01jdq3k7zr8w", "A-b_c.d~e", "0", "-", "a" * 200])
def test_a_url_safe_token_is_an_id(text: str) -> None:
    assert is_id(text, 200)


@pytest.mark.parametrize(
    "text", ["", ".", "..", ".a", "a/b", "a%2Fb", "a b", "a?b", "a#b", "é", "a\n", "a\x00", "a" * 201, "\u0430"]
)
def test_anything_else_is_no_id_b041(text: str) -> None:
    assert not is_id(text, 200)


@pytest.mark.parametrize(
    ("text", "good"),
    [("a:b/c", True), ('"8e03978e"', True), ("", False), ("a b", False), ("é", False), ("a" * 201, False)],
)
def test_a_key_is_printable_and_without_spaces(text: str, good: bool) -> None:
    assert is_key(text, 200) is good


def test_the_key_is_the_named_one_or_the_messages_id() -> None:
    assert key_of("k", "m", None) == "k"
    assert key_of(None, "m", None) == "m"
    assert key_of("k", "m", "a1") == "k a1"
    assert key_of(None, "m", "a1") == "m a1"


@given(st.text(min_size=1).filter(str.strip), st.integers(min_value=2, max_value=100))
def test_a_title_is_one_short_line(text: str, most: int) -> None:
    title = title_of(text, most)
    assert 0 < len(title) <= most
    assert title == " ".join(title.split())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n Hi  there \n more", "Hi there"),
        ("one two three four", "one two…"),
        ("a" * 30, "a" * 11 + "…"),
        ("exactly 12 c", "exactly 12 c"),
    ],
)
def test_a_long_title_is_cut_at_a_word(text: str, title: str) -> None:
    assert title_of(text, 12) == title


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), inner)
    ),
    max_leaves=10,
)


@given(JSON)
def test_whole_text_can_be_stored_wherever_it_stands(value: Any) -> None:
    assert is_storable(value)


@given(JSON, st.sampled_from(["\\u0000", "\\ud800", "\\udfff"]))
def test_a_nul_or_half_a_pair_is_found_wherever_it_stands(value: Any, bad: str) -> None:
    spoilt = json.loads(f'"a{bad}b"')
    assert not is_storable([value, spoilt])
    assert not is_storable({"x": {"y": [value, {spoilt: 1}]}})


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("new", "queued"),
        ("running", "queued"),
        ("done", "queued"),
        ("failed", "queued"),
        ("folded", "joined"),
        ("waiting", "waiting"),
        ("held", "held"),
    ],
)
def test_a_rows_state_is_told_in_the_contracts_words(row: str, told: str) -> None:
    assert told_state(row) == told
