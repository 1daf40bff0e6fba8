"""When an agent counts as stuck, and when a turn counts as failed (A3)."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from lanekeeper.lines import HONEST_LINE, PERSON_LINE, REFUSED_LINE, TOO_LONG_LINE, WITHHELD_LINE, Line
from lanekeeper.replies.contract import joined
from lanekeeper.turn.attempts import SUPERSEDED, ended_in_failure, is_stuck

ASKED = AIMessage("", tool_calls=[{"id": "c", "name": "look", "args": {}}])


def result(*, failed: bool, name: str = "look", superseded: bool = False) -> ToolMessage:
    artifact = {SUPERSEDED: superseded}
    return ToolMessage("told", tool_call_id="c", name=name, status="error" if failed else "success", artifact=artifact)


FAILED, WORKED = result(failed=True), result(failed=False)


@pytest.mark.parametrize(
    ("turn", "stuck"),
    [
        ([], False),
        ([ASKED, FAILED], False),
        ([ASKED, FAILED, ASKED, FAILED], True),
        ([ASKED, FAILED, FAILED], False),
        ([ASKED, FAILED, ASKED, WORKED], False),
        ([ASKED, FAILED, ASKED, WORKED, ASKED, FAILED], False),
        ([ASKED, FAILED, ASKED, FAILED, WORKED], False),
        ([ASKED, FAILED, ASKED, result(failed=True, name="find")], False),
        ([ASKED, FAILED, ASKED, result(failed=True, superseded=True)], False),
        ([ASKED, FAILED, ASKED, FAILED, ASKED, result(failed=False, name="people_handoff")], False),
    ],
)
def test_one_tool_that_failed_in_two_steps_in_a_row_means_that_the_agent_is_stuck(
    turn: list[AnyMessage], stuck: bool
) -> None:
    assert is_stuck([HumanMessage("hello"), *turn], 2) is stuck


@pytest.mark.parametrize("line", [HONEST_LINE, REFUSED_LINE, WITHHELD_LINE, PERSON_LINE])
def test_a_turn_that_ended_in_such_a_line_has_failed_in_any_language(line: Line) -> None:
    for text in line.texts:
        assert ended_in_failure([HumanMessage("hello"), AIMessage(text)])
        assert ended_in_failure([AIMessage(joined("One thing first.", text))])


def test_any_other_turn_has_not() -> None:
    assert not ended_in_failure([])
    assert not ended_in_failure([HumanMessage(HONEST_LINE.en)])
    assert not ended_in_failure([AIMessage("Hello.")])
    assert not ended_in_failure([AIMessage(joined("A lot.", TOO_LONG_LINE.en))])
