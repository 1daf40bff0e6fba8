"""A history becomes the same bytes each time, through whatever it was stored in meanwhile (C1, B072)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage

from lanekeeper.graph.message_rows import from_row, to_row
from lanekeeper.ledger.rules import Usage
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.messages import answer, to_wire, tool_calls
from lanekeeper.mainline.reply import Ending, ToolCall
from lanekeeper.mainline.text import dumps

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(
    lambda name, args: {"id": f"call_{name}", "name": f"x_{name}", "args": args, "type": "tool_call"},
    st.sampled_from("abc"),
    st.dictionaries(TEXTS, VALUES, max_size=3),
)
MESSAGES: st.SearchStrategy[AnyMessage] = st.one_of(
    st.builds(HumanMessage, TEXTS),
    st.builds(SystemMessage, TEXTS),
    st.builds(lambda text, calls: AIMessage(text, tool_calls=calls), TEXTS, st.lists(CALLS, max_size=2)),
    st.builds(lambda text: ToolMessage(text, tool_call_id="call_a", name="x_a"), TEXTS),
)


def through_jsonb(row: Any) -> Any:
    """As Postgres keeps it: keys by length and then by bytes, numbers without exponent."""
    if isinstance(row, dict):
        return {key: through_jsonb(row[key]) for key in sorted(row, key=lambda key: (len(key.encode()), key.encode()))}
    if isinstance(row, list):
        return [through_jsonb(item) for item in row]
    if isinstance(row, float):
        plain = format(row, "f") if row.is_integer() else repr(row)
        return json.loads(plain.removesuffix(".000000"))
    return row


def wire_bytes(messages: list[AnyMessage]) -> bytes:
    return dumps(to_wire(messages)).encode()


@given(st.lists(MESSAGES, max_size=6))
def test_a_stored_history_is_sent_in_the_same_bytes_b072(history: list[AnyMessage]):
    stored = [from_row(through_jsonb(to_row(message))) for message in history]
    assert wire_bytes(stored) == wire_bytes(history)


@given(st.lists(MESSAGES, max_size=5), st.lists(MESSAGES, max_size=3))
def test_what_is_appended_leaves_what_was_before_untouched_b072(history: list[AnyMessage], later: list[AnyMessage]):
    before, after = wire_bytes(history), wire_bytes([*history, *later])
    assert after.startswith(before[:-1])


def test_each_kind_of_message_has_its_wire_form():
    history: list[AnyMessage] = [
        SystemMessage("be brief"),
        HumanMessage("weather?"),
        AIMessage(
            "", tool_calls=[{"id": "c1", "name": "web_search", "args": {"b": 1.0, "a": "x"}, "type": "tool_call"}]
        ),
        ToolMessage('{"results":[]}', tool_call_id="c1", name="web_search"),
        AIMessage("Rain."),
    ]
    assert to_wire(history) == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "weather?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": '{"a":"x","b":1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"results":[]}'},
        {"role": "assistant", "content": "Rain."},
    ]


def test_images_files_and_unknown_blocks_pass_through():
    message = HumanMessage(
        content=[
            "look",
            {"type": "text", "text": "here", "cache_control": {"type": "ephemeral"}, "id": "lc_1"},
            {"type": "image", "base64": "AA==", "mime_type": "image/png"},
            {"type": "image", "url": "https://example.com/x.png"},
            {"type": "file", "base64": "AA==", "filename": "a.pdf"},
            {"type": "video", "z": 1, "a": 2},
        ]
    )
    [wire] = to_wire([message])
    assert wire["content"] == [
        {"type": "text", "text": "look"},
        {"type": "text", "text": "here", "cache_control": {"type": "ephemeral"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "image_url", "image_url": {"url": "https://example.com/x.png"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="}},
        {"type": "video", "a": 2, "z": 1},
    ]
    assert list(wire["content"][-1]) == ["a", "type", "z"]


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("yes", additional_kwargs={"reasoning_content": "hm"}),
        AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "yes"}]),
    ],
)
def test_reasoning_is_sent_back_beside_the_text(message: AIMessage):
    assert to_wire([message]) == [{"role": "assistant", "content": "yes", "reasoning_content": "hm"}]


def test_signed_thinking_is_sent_back_as_it_came():
    ending = Ending(finish_reason="stop", usage=Usage(), thinking_blocks=({"signature": "s", "thinking": "hm"},))
    [wire] = to_wire([answer("yes", ending)])
    assert wire["thinking_blocks"] == [{"signature": "s", "thinking": "hm"}]


def test_no_model_is_sent_what_another_one_thought_l2():
    small, large = (Model(id=name, name=name, gateway_id=name) for name in ("small", "large"))
    ending = Ending(finish_reason="stop", usage=Usage(), thinking_blocks=({"signature": "s", "thinking": "hm"},))
    message = answer("yes", ending, "hm", "small")
    assert to_wire([message], large) == [{"role": "assistant", "content": "yes"}]
    assert to_wire([message], small) == to_wire([message])
    assert set(to_wire([message], small)[0]) == {"role", "content", "reasoning_content", "thinking_blocks"}


def test_an_assistants_message_that_says_nothing_is_never_sent():
    assert to_wire([HumanMessage("a"), AIMessage(""), HumanMessage("b")]) == [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
    ]


def test_unreadable_arguments_are_kept_for_a_result_and_sent_as_an_object():
    calls = (ToolCall("c1", "web_search", {"query": "x"}), ToolCall("c2", "web_search", None, '{"que'))
    message = answer("", Ending(finish_reason="length", usage=Usage(), calls=calls))
    assert tool_calls(message) == [
        ToolCall("c1", "web_search", {"query": "x"}),
        ToolCall("c2", "web_search", None, '{"que'),
    ]
    [wire] = to_wire([message])
    assert [json.loads(call["function"]["arguments"]) for call in wire["tool_calls"]] == [
        {"query": "x"},
        {"unreadable": '{"que'},
    ]


def test_a_message_that_no_model_reads_is_refused():
    with pytest.raises(TypeError, match="RemoveMessage"):
        to_wire([RemoveMessage("m1")])
