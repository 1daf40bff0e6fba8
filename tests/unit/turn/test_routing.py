"""Easy turns go to the small model, named hard cases to the large, a person's choice before both (A2, L2, N3)."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from lanekeeper.limits import Limits
from lanekeeper.lines import HONEST_LINE, PERSON_LINE
from lanekeeper.mainline.catalogue import DEFAULT, parse_catalogue
from lanekeeper.turn.routing import HARD_CASES, Signs, route

LIMITS = Limits()
HELLO = HumanMessage("Hello", id="1")


def test_an_easy_turn_goes_to_the_small_model() -> None:
    chosen = route(DEFAULT, None, Signs.of([HELLO], 1), LIMITS)
    assert (chosen.model.id, chosen.case) == ("small", "")


EACH_CASE: dict[str, tuple[list[AnyMessage], bool]] = {
    "difficult": ([HELLO], True),
    "long_text": ([HumanMessage("x" * 3_500), HumanMessage("y" * 3_500)], False),
    "files": ([HumanMessage([{"type": "text", "text": "What is this?"}, {"type": "image", "url": "u"}])], False),
}


@pytest.mark.parametrize("case", EACH_CASE)
def test_a_named_hard_case_goes_to_the_large_model_a2(case: str) -> None:
    messages, judged_hard = EACH_CASE[case]
    chosen = route(DEFAULT, None, Signs.of(messages, len(messages), judged_hard=judged_hard), LIMITS)
    assert (chosen.model.id, chosen.case) == ("large", case)


@pytest.mark.parametrize("line", sorted(HONEST_LINE.texts | PERSON_LINE.texts))
def test_a_second_try_after_a_failure_is_a_hard_case_a2(line: str) -> None:
    talk = [HELLO, AIMessage(line, id="2"), HumanMessage("Again", id="3")]
    chosen = route(DEFAULT, None, Signs.of(talk, 1), LIMITS)
    assert (chosen.model.id, chosen.case) == ("large", "second_try")
    after = [*talk, AIMessage("There.", id="4"), HumanMessage("Thanks", id="5")]
    assert route(DEFAULT, None, Signs.of(after, 1), LIMITS).model.id == "small"


def test_every_hard_case_is_tried_here() -> None:
    assert set(HARD_CASES) == {*EACH_CASE, "second_try"}


def test_what_came_before_this_turn_makes_it_no_harder() -> None:
    long, file = HumanMessage("x" * 9_000, id="0"), HumanMessage([{"type": "image", "url": "u"}], id="1")
    talk = [long, file, AIMessage("Read.", id="2"), HumanMessage("Thanks", id="3")]
    assert route(DEFAULT, None, Signs.of(talk, 1), LIMITS).model.id == "small"


def test_a_tools_long_result_is_not_the_persons_long_text() -> None:
    talk = [HELLO, AIMessage("", id="2"), ToolMessage("x" * 9_000, tool_call_id="c", id="3")]
    assert Signs.of(talk, 3) == Signs(text_chars=5)


def test_a_choice_stands_before_any_case_l2() -> None:
    hard = Signs(judged_hard=True)
    assert route(DEFAULT, "small", hard, LIMITS).model.id == "small"
    assert route(DEFAULT, "large", Signs(), LIMITS).model.id == "large"


def test_a_choice_that_was_taken_off_the_list_leaves_it_to_the_cases() -> None:
    assert route(DEFAULT, "gone", Signs(), LIMITS).model.id == "small"
    assert route(DEFAULT, "gone", Signs(judged_hard=True), LIMITS).model.id == "large"


def test_the_setting_names_the_models_of_easy_turns_and_of_hard_ones_b10() -> None:
    catalogue = parse_catalogue({"models": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "default": "b", "hard": "c"})
    assert route(catalogue, None, Signs(), LIMITS).model.id == "b"
    assert route(catalogue, None, Signs(judged_hard=True), LIMITS).model.id == "c"


def test_a_setting_without_a_model_for_hard_cases_has_one_model_for_all() -> None:
    catalogue = parse_catalogue({"models": [{"id": "a"}, {"id": "b"}]})
    assert route(catalogue, None, Signs(judged_hard=True), LIMITS).model.id == "a"


def test_what_joined_after_the_first_answer_makes_a_turn_no_harder() -> None:
    turn = [HumanMessage("Hello"), AIMessage("Hm."), HumanMessage("x" * (LIMITS.hard_text_chars + 1))]
    assert not route(DEFAULT, None, Signs.of(turn, 3), LIMITS).case
    assert route(DEFAULT, None, Signs.of(turn[2:] + turn[:1], 2), LIMITS).case == "long_text"
