"""Which verdict leads to what (D5, D6), and what the verdicts say (D1, D2)."""

from typing import Any

import pytest

from lanekeeper.decisions import Act, Policy, Verdicts
from lanekeeper.decisions.questions import DIFFICULTIES, LANGUAGES, TABLE, THRESHOLDS, questions_about
from lanekeeper.decisions.rules import CAREFUL, FOREIGN_INSTRUCTIONS, Control, notes, order_in, parse_policy, plan
from lanekeeper.mainline.questions import Answer

QUESTIONS = {
    "refers_to_earlier", "wants_human", "opt_out", "delete_request", "complaint", "risk", "out_of_scope", "under_age",
    "language", "difficulty", "injection", "image_unsafe", "image_instructions", "image_sensitive", "file_injection",
}  # fmt: skip


def judged(source: Any = "gateway", **scores: float | str) -> Verdicts:
    return Verdicts(source=source, answers={name: Answer(value) for name, value in scores.items()})


def acts(
    text: str = "hello",
    *,
    policy: Policy | None = None,
    pending: Control | None = None,
    agrees: bool = False,
    redirected: bool = False,
    **scores: float | str,
) -> list[str]:
    verdicts = judged(**scores)
    planned = plan(text, verdicts, policy=policy or Policy(), pending=pending, agrees=agrees, redirected=redirected)
    return list(planned.acts)


def test_the_table_holds_every_question_once_with_a_threshold():
    assert set(TABLE) == QUESTIONS == set(THRESHOLDS)
    assert all(0 < threshold < 1 for threshold in THRESHOLDS.values())
    asked = [question.name for about in ("text", "image", "file") for question in questions_about(about)]  # type: ignore[arg-type]
    assert sorted(asked) == sorted(QUESTIONS)


def test_the_usual_case_stands_first_among_the_options():
    assert (next(iter(LANGUAGES)), next(iter(DIFFICULTIES))) == ("en", "easy")


@pytest.mark.parametrize("text", ["STOP", " STOP\n", "DELETE"])
def test_a_word_of_order_acts_at_once_whatever_was_judged(text: str):
    expected = {"STOP": "opt_out", "DELETE": "delete"}[text.strip()]
    assert order_in(text) == expected
    assert acts(text, risk=1.0) == [expected]


@pytest.mark.parametrize("text", ["stop", "Stop", "STOP!", "STOP now", "DELETE MY ACCOUNT", "S T O P", ""])
def test_anything_else_is_no_order(text: str):
    assert order_in(text) is None


@pytest.mark.parametrize(
    ("question", "act"),
    [
        ("risk", "crisis"),
        ("delete_request", "ask_delete"),
        ("opt_out", "ask_opt_out"),
        ("wants_human", "hand_over"),
        ("complaint", "complaint"),
        ("out_of_scope", "redirect"),
    ],
)
def test_a_verdict_leads_to_its_act_from_its_threshold_on_and_not_before(question: str, act: str):
    threshold = THRESHOLDS[question]
    assert acts(**{question: threshold}) == [act]
    assert acts(**{question: threshold - 0.01}) == []


def test_loose_wording_is_asked_about_and_never_done_at_once():
    assert acts("please delete everything", delete_request=1.0) == [Act.ASK_DELETE]
    assert acts("leave me alone", opt_out=1.0) == [Act.ASK_OPT_OUT]


@pytest.mark.parametrize(("pending", "act"), [("opt_out", "opt_out"), ("delete", "delete")])
def test_yes_confirms_what_was_asked_about_and_nothing_else(pending: Control, act: str):
    assert acts("yes", pending=pending, agrees=True) == [act]
    assert acts("yes", pending=None, agrees=True) == []
    assert acts("no", pending=pending, agrees=False) == []


def test_danger_comes_before_everything_but_an_order_or_its_confirmation():
    everything = dict.fromkeys(("risk", "delete_request", "opt_out", "wants_human", "complaint", "out_of_scope"), 1.0)
    assert acts(**everything) == ["crisis"]
    assert acts(**everything | {"risk": 0.0}) == ["ask_delete"]


def test_a_complaint_and_a_wish_for_a_person_open_an_item_each_under_one_line():
    planned = plan(
        "x", judged(complaint=1.0, wants_human=1.0), policy=Policy(), pending=None, agrees=False, redirected=False
    )
    assert planned.acts == (Act.HAND_OVER, Act.COMPLAINT)


def test_a_conversation_is_led_back_to_its_subject_once_and_then_goes_on_as_usual():
    assert acts(out_of_scope=1.0) == ["redirect"]
    assert acts(out_of_scope=1.0, redirected=True) == []


@pytest.mark.parametrize(
    ("under_age", "act", "told"), [("stop", ["under_age"], []), ("careful", [], [CAREFUL]), ("ignore", [], [])]
)
def test_what_happens_to_the_young_is_the_operators_policy(under_age: Any, act: list[str], told: list[str]):
    policy = Policy(under_age=under_age)
    assert acts(policy=policy, under_age=1.0) == act
    assert notes(judged(under_age=1.0), policy) == told


def test_the_model_is_warned_of_instructions_that_are_not_the_persons():
    assert notes(judged(injection=0.7), Policy()) == [FOREIGN_INSTRUCTIONS]
    assert notes(judged(injection=0.69), Policy()) == []


def test_thresholds_can_be_set_and_reach_the_verdicts():
    policy = parse_policy({"thresholds": {"risk": 0.5}, "under_age": "stop"})
    assert policy.thresholds["risk"] == 0.5
    assert policy.thresholds["opt_out"] == THRESHOLDS["opt_out"]
    lowered = Verdicts(source="gateway", answers={"risk": Answer(0.6)}, thresholds=policy.thresholds)
    assert lowered.over("risk")
    assert not judged(risk=0.6).over("risk")


@pytest.mark.parametrize(
    "row",
    [
        {"thresholds": {"nothing": 0.5}},
        {"thresholds": {"risk": 2}},
        {"thresholds": {"risk": "high"}},
        {"under_age": "shrug"},
        [],
        7,
    ],
)
def test_a_row_that_is_no_policy_is_refused(row: Any):
    with pytest.raises((ValueError, TypeError, AttributeError)):
        parse_policy(row)


def test_an_unanswered_question_counts_as_no():
    nothing = judged()
    assert not any(nothing.over(question.name) for question in questions_about("text") if question.kind == "predicate")
    assert (nothing.language, nothing.hard, nothing.memory_search) == (None, False, "none")


def test_memory_is_searched_when_the_message_leans_on_earlier_talk_and_for_strong_matches_when_nobody_can_tell_d2():
    assert judged(refers_to_earlier=0.3).memory_search == "full"
    assert judged(refers_to_earlier=0.29).memory_search == "none"
    assert judged("words").memory_search == "strong"


def test_a_choice_counts_when_it_is_sure_enough():
    unsure = Verdicts(source="gateway", answers={"language": Answer("de", 0.4), "difficulty": Answer("hard", 0.5)})
    assert (unsure.language, unsure.hard) == (None, False)
    sure = Verdicts(source="gateway", answers={"language": Answer("de", 0.5), "difficulty": Answer("hard", 0.6)})
    assert (sure.language, sure.hard) == ("de", True)
    assert judged(language="other").language is None


def test_what_joins_is_weighed_with_what_was_there():
    first = judged(risk=0.9, complaint=0.2, language="de", difficulty="hard")
    both = first.joined(judged("words", risk=0.1, complaint=0.8, wants_human=1.0, language="en", difficulty="easy"))
    assert (both.score("risk"), both.score("complaint"), both.score("wants_human")) == (0.9, 0.8, 1.0)
    assert (both.language, both.hard, both.source) == ("en", True, "words")


def test_verdicts_are_kept_with_their_scores_and_read_back_the_same():
    verdicts = Verdicts(
        source="chat", answers={"risk": Answer(0.25), "language": Answer("de", 0.9)}, took_ms=12, thresholds=THRESHOLDS
    )
    kept = verdicts.as_json()
    assert kept == {"risk": 0.25, "language": ["de", 0.9]}
    assert Verdicts.from_json("chat", kept, 12) == verdicts
