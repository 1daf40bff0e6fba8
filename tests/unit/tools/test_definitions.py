"""What a model is told of its tools: strict, complete, and the same bytes every time (O2, O9, B072)."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.limits import Limits
from lanekeeper.mainline.text import dumps
from lanekeeper.tools.fit import fit
from tests.unit.tools.toys import CONTEXT, NoteInput, NoteOutput, call, note_tool, toolset


def test_a_definition_is_strict_and_complete():
    [definition] = toolset().definitions
    assert definition == {
        "type": "function",
        "function": {
            "name": "note_save",
            "description": "Saves a note. Use it when asked. It reads nothing.\nExamples:\n"
            '- "note that I like tea" -> {"title":"tea","kind":"fact","day":null}',
            "parameters": {
                "type": "object",
                "properties": {
                    "title": {"description": "Its title.", "type": "string"},
                    "kind": {"description": "What it is.", "enum": ["fact", "plan"], "type": "string"},
                    "day": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "The day it is about."},
                },
                "required": ["title", "kind", "day"],
                "additionalProperties": False,
            },
            "strict": True,
        },
    }


def test_the_order_in_which_tools_were_put_together_does_not_matter_b072():
    tools = [note_tool(name=name) for name in ("b_one", "a_two", "c_three")]
    forms = {dumps(toolset(*order).definitions) for order in itertools.permutations(tools)}
    assert len(forms) == 1
    assert len({toolset(*order).sha256 for order in itertools.permutations(tools)}) == 1
    assert toolset(*tools).sha256 != toolset(*tools[:2]).sha256
    assert toolset(*tools).names == ("a_two", "b_one", "c_three")


def test_a_chat_has_a_subset_of_all_tools_b2():
    tools = toolset(*[note_tool(name=name) for name in ("b_one", "a_two", "c_three")])
    assert tools.subset(["c_three", "a_two"]).names == ("a_two", "c_three")
    with pytest.raises(KeyError):
        tools.subset(["d_four"])


@pytest.mark.parametrize("name", ["save", "Note_save", "note-save", "note_", "_save", "note_" + "x" * 80])
def test_a_tool_is_named_by_its_area_and_its_job_o1(name: str):
    with pytest.raises(ValueError, match="area_job"):
        toolset(note_tool(name=name))


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ValueError, match="same name"):
        toolset(note_tool(), note_tool())


def test_definitions_keep_their_byte_budget_q3():
    with pytest.raises(ValueError, match="budget"):
        toolset(note_tool(), limits=Limits(tools_bytes=100))


async def test_a_long_result_is_cut_for_the_model_and_whole_for_the_page_o6():
    async def run(context: object, given: NoteInput) -> NoteOutput:
        return NoteOutput(text="words " * 600, items=["ü" * 400] * 12, link="https://example.com/" + "a" * 200)

    outcome = await toolset(note_tool(run, notice="Strangers wrote this.")).call(call(), CONTEXT)
    told = json.loads(outcome.content)
    assert len(outcome.content.encode()) <= 2048
    assert told["notice"] == "Strangers wrote this."
    assert told["trimmed"] is True
    assert told["link"] == "https://example.com/" + "a" * 200
    assert outcome.output["text"] == "words " * 600


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=80) | st.just("https://example.com/" + "x" * 300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=40,
)


@given(st.dictionaries(st.text(max_size=10), JSON, max_size=6), st.integers(50, 3000))
def test_whatever_a_result_holds_it_fits_o6(result: dict[str, object], limit: int):
    fitted = fit(result, limit)
    assert len(dumps(fitted).encode()) <= limit
    assert fitted == result or fitted["trimmed"] is True
    assert dumps(fit(result, limit)) == dumps(fitted)


def test_a_link_is_never_cut():
    link = "https://example.com/" + "x" * 300
    fitted = fit({"results": [{"url": link, "snippet": "word " * 200} for _ in range(9)]}, 2048)
    assert {result["url"] for result in fitted["results"]} == {link}
