"""A forgotten fact taken out of rows that stay what providers take (W4, B007)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.graph.message_rows import from_row, to_row
from lanekeeper.mainline.messages import USAGE, to_wire
from lanekeeper.memory.masking import BLANK, FORGOTTEN, masked, state, text_of, without
from lanekeeper.memory.telling import Telling

FACTS = [Telling.of("sister name", "sister is called Ana"), Telling.of("budget", "budget is 12.50")]


def call(**args: Any) -> dict[str, Any]:
    return {"id": "c", "name": "book", "args": args}


@pytest.mark.parametrize(
    ("row", "changed"),
    [
        ({"type": "human", "content": "my sister Ana"}, {"content": FORGOTTEN}),
        ({"type": "human", "content": [{"type": "text", "text": "Ana"}, {"type": "upload", "id": "u"}]},
         {"content": FORGOTTEN}),
        ({"type": "ai", "content": "It is Ana!"}, {"content": FORGOTTEN}),
        ({"type": "ai", "content": "", "tool_calls": [call(name="Ana", seats=2, to=["Ana"], now=True, at=None)]},
         {"tool_calls": [call(name=BLANK, seats=BLANK, to=[BLANK], now=True, at=None)]}),
        ({"type": "ai", "content": "", "tool_calls": [call(kind="fact", subject="sister", body="is called Ana")]},
         {"tool_calls": [call(kind="fact", subject=BLANK, body=BLANK)]}),
        ({"type": "ai", "content": "", "tool_calls": [call(name="Eva"), call(name="Ana")]},
         {"tool_calls": [call(name="Eva"), call(name=BLANK)]}),
        ({"type": "ai", "content": "", "tool_calls": [call(amount=12.5)]}, {"tool_calls": [call(amount=BLANK)]}),
        ({"type": "ai", "content": "", "tool_calls": [call(amount=12)]}, None),
        ({"type": "ai", "content": "Hm.", "invalid_tool_calls": [call() | {"args": '{"name": "Ana'}]},
         {"invalid_tool_calls": [call() | {"args": BLANK}]}),
        ({"type": "ai", "content": "Hm.", "extra": {"reasoning": "Ana?", USAGE: {"input": 9, "output": 1}}},
         {"extra": {USAGE: {"input": 9, "output": 1}}}),
        ({"type": "ai", "content": "Ana.", "extra": {"reasoning": "Hm.", USAGE: {"input": 9, "output": 1}}},
         {"content": FORGOTTEN, "extra": {USAGE: {"input": 9, "output": 1}}}),
        ({"type": "tool", "content": '{"told":"Ana"}', "artifact": {"wrote": True, "output": {"told": "Ana"}}},
         {"content": FORGOTTEN, "artifact": {"wrote": True}}),
        ({"type": "tool", "content": "{}", "artifact": {"output": {"told": "Ana"}}}, {"artifact": {}}),
        ({"type": "human", "content": "what is my sister called?"}, None),
        ({"type": "tool", "content": "{}", "artifact": {"output": 5}}, None),
    ],
)  # fmt: skip
def test_what_tells_it_goes_and_the_rest_stays(row: dict[str, Any], changed: dict[str, Any] | None) -> None:
    row = {"id": "m", **row}
    before = json.dumps(row)
    assert masked(row, FACTS) == (row | changed if changed else None)
    assert json.dumps(row) == before


def test_a_message_that_is_known_to_state_it_goes_whatever_its_words_are() -> None:
    row = {"type": "human", "id": "m", "content": "and hers is the same"}
    assert masked(row, FACTS, whole=True) == {**row, "content": FORGOTTEN}


def test_a_row_is_masked_once() -> None:
    clean = masked({"type": "ai", "id": "m", "content": "Ana", "tool_calls": [call(name="Ana")]}, FACTS)
    assert clean is not None
    assert masked(clean, FACTS) is None


def test_each_of_several_facts_goes() -> None:
    assert without(FACTS, "Ana is nice. It costs 12.50. They like tea.") == "They like tea."
    assert state(FACTS, "12,50")


TEXT = st.sampled_from(["", "tea", "my sister Ana", "12.50", "Ana. Tea.", "nothing"])
ARGS = st.dictionaries(st.sampled_from(["name", "at"]), st.one_of(TEXT, st.integers(0, 9), st.none(), st.lists(TEXT)))


@st.composite
def threads(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Valid histories: each call is followed by its result."""
    rows: list[dict[str, Any]] = []
    for turn in range(draw(st.integers(1, 4))):
        rows.append({"type": "human", "id": f"h{turn}", "content": draw(TEXT) or "hi"})
        for step in range(draw(st.integers(0, 2))):
            name = f"{turn}.{step}"
            calls = [{"id": f"c{name}.{n}", "name": "t", "args": draw(ARGS)} for n in range(draw(st.integers(1, 2)))]
            rows.append({"type": "ai", "id": f"a{name}", "content": draw(TEXT), "tool_calls": calls})
            rows += [
                {"type": "tool", "id": f"r{one['id']}", "content": draw(TEXT) or "{}", "tool_call_id": one["id"],
                 "name": "t", "status": "success"}
                for one in calls
            ]  # fmt: skip
        rows.append({"type": "ai", "id": f"z{turn}", "content": draw(TEXT) or "ok"})
    return rows


@given(threads())
def test_a_valid_history_stays_valid_and_tells_nothing_b007(rows: list[dict[str, Any]]) -> None:
    clean = [masked(row, FACTS) or row for row in rows]
    before, after = (to_wire([from_row(row) for row in some]) for some in (rows, clean))
    assert not state(FACTS, json.dumps(after, ensure_ascii=False))
    assert [(one["role"], one.get("tool_call_id")) for one in after] == [
        (one["role"], one.get("tool_call_id")) for one in before
    ]
    assert [[c["id"] for c in one.get("tool_calls", ())] for one in after] == [
        [c["id"] for c in one.get("tool_calls", ())] for one in before
    ]
    assert [to_row(from_row(row)) for row in clean] == clean
    assert all(text_of(row["content"]) or row.get("tool_calls") for row in clean)
