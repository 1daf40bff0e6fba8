"""A thread's messages survive as rows, byte for byte (C1, B072)."""

import json

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from lanekeeper.graph.message_rows import from_row, to_row
from lanekeeper.mainline.messages import to_wire

MESSAGES: list[AnyMessage] = [
    HumanMessage("Grüße, 北京 \u2028", id="m1"),
    HumanMessage(
        [{"type": "text", "text": "see"}, {"type": "image", "base64": "AA==", "mime_type": "image/png"}], id="m2"
    ),
    AIMessage(
        "Let me look.",
        id="m3",
        tool_calls=[{"id": "c1", "name": "web_search", "args": {"query": "x", "n": 1.5}, "type": "tool_call"}],
        invalid_tool_calls=[
            {"id": "c2", "name": "web_search", "args": '{"que', "error": None, "type": "invalid_tool_call"}
        ],
        additional_kwargs={"reasoning_content": "hm"},
    ),
    ToolMessage('{"results":[]}', id="m4", tool_call_id="c1", name="web_search", artifact={"output": {"results": []}}),
    ToolMessage("Not readable.", id="m5", tool_call_id="c2", name="web_search", status="error"),
    AIMessage("Nothing found.", id="m6"),
    SystemMessage("A summary.", id="m7"),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.type)
def test_a_message_comes_back_from_its_row_as_it_was(message: AnyMessage) -> None:
    again = from_row(json.loads(json.dumps(to_row(message), sort_keys=True)))
    assert again == message


def test_the_request_made_from_rows_has_the_same_bytes() -> None:
    again = [from_row(json.loads(json.dumps(to_row(message), sort_keys=True))) for message in MESSAGES]
    assert json.dumps(to_wire(again)) == json.dumps(to_wire(MESSAGES))


def test_a_row_of_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown message type"):
        from_row({"type": "oracle", "id": "m", "content": ""})
