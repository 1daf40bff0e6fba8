"""The stored reply is what the client put together (L4)."""

from typing import Any

from lanekeeper.replies.assembly import Assembly

CALL = {"toolCallId": "c1", "toolName": "web_search", "input": {"query": "x"}, "dynamic": True}


def assemble(*chunks: dict[str, Any]) -> Assembly:
    assembly = Assembly()
    for chunk in chunks:
        assembly.apply(chunk)
    return assembly


def text(text_id: str, *deltas: str) -> list[dict[str, Any]]:
    return [
        {"type": "text-start", "id": text_id},
        *({"type": "text-delta", "id": text_id, "delta": delta} for delta in deltas),
        {"type": "text-end", "id": text_id},
    ]


def test_b027_two_steps_are_two_text_parts_with_the_tool_between_them() -> None:
    assembly = assemble(
        {"type": "start", "messageId": "m"},
        {"type": "start-step"},
        *text("text-1", "Let me ", "look."),
        {"type": "tool-input-available", **CALL},
        {"type": "tool-output-available", "toolCallId": "c1", "output": {"n": 1}, "dynamic": True},
        {"type": "finish-step"},
        {"type": "start-step"},
        *text("text-2", "Found it."),
        {"type": "finish-step"},
    )
    kinds = [(part["type"], part.get("text") or part.get("state")) for part in assembly.parts]
    assert kinds == [
        ("step-start", None),
        ("text", "Let me look."),
        ("dynamic-tool", "output-available"),
        ("step-start", None),
        ("text", "Found it."),
    ]
    assert assembly.steps == 2


def test_b033_a_call_without_an_outcome_is_known_to_be_open() -> None:
    assembly = assemble({"type": "start-step"}, {"type": "tool-input-available", **CALL})
    assert assembly.open_calls == ["c1"]
    assembly.apply({"type": "tool-output-error", "toolCallId": "c1", "errorText": "No.", "dynamic": True})
    assert assembly.open_calls == []
    assert assembly.parts[-1]["errorText"] == "No."


def test_thoughts_are_parts_of_their_own_and_no_text_n8() -> None:
    assembly = assemble(
        {"type": "start-step"},
        {"type": "reasoning-start", "id": "reasoning-1"},
        {"type": "reasoning-delta", "id": "reasoning-1", "delta": "They ask "},
        {"type": "reasoning-delta", "id": "reasoning-1", "delta": "about tea."},
    )
    assert assembly.open_reasoning == "reasoning-1"
    assert assembly.open_text is None
    assembly.apply({"type": "reasoning-end", "id": "reasoning-1"})
    assert assembly.open_reasoning is None
    assert assembly.parts[-1] == {"type": "reasoning", "text": "They ask about tea.", "state": "done"}


def test_progress_leaves_no_part_n7() -> None:
    data = {"text": "Reading", "toolCallId": "c1"}
    assembly = assemble(
        {"type": "start-step"},
        {"type": "tool-input-available", **CALL},
        {"type": "data-progress", "data": data, "transient": True},
    )
    assert [part["type"] for part in assembly.parts] == ["step-start", "dynamic-tool"]


def test_a_draft_that_broke_off_leaves_its_text_open() -> None:
    assembly = assemble({"type": "start-step"}, *text("text-1", "Hel", "lo")[:-1])
    assert (assembly.open_text, assembly.draft) == ("text-1", "Hello")


def test_transient_chunks_leave_no_part_and_lasting_data_does() -> None:
    assembly = assemble(
        {"type": "data-turn", "data": {}, "transient": True}, {"type": "data-writes", "data": {"tools": ["a"]}}
    )
    assert assembly.parts == [{"type": "data-writes", "data": {"tools": ["a"]}}]
