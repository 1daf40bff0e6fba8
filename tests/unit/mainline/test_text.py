from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.mainline.text import StorableText, canonical, dumps, loads, storable
from lanekeeper.mainline.tokens import estimate


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_ordinary_text_is_left_alone(text: str):
    assert storable(text) == text


@given(st.lists(st.text(st.characters(), max_size=4) | st.sampled_from(["\ud83d", "\ude00", "\0"]), max_size=6))
def test_text_in_pieces_is_the_same_as_in_one(pieces: list[str]):
    stream = StorableText()
    streamed = "".join(stream.take(piece) for piece in pieces) + stream.end()
    assert streamed == storable("".join(pieces))
    streamed.encode()
    assert "\0" not in streamed


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"b": 1.0, "a": [2.5, {"d": 1, "c": 2}]}, '{"a":[2.5,{"c":2,"d":1}],"b":1}'),
        ("x\0", '"x"'),
        (1e22, "1" + "0" * 22),
    ],
)
def test_data_has_one_form(value: Any, form: str):
    assert dumps(canonical(value)) == form


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{", ""])
def test_only_json_is_read(text: str):
    with pytest.raises(ValueError):  # noqa: PT011
        loads(text)


def test_tokens_of_scripts_without_spaces_are_not_undercounted():
    assert estimate("hello world, how are you") == 6
    assert estimate("她周末常去北京西边") >= 9
    assert estimate("") == 0
