"""The word lists that stand in when the classifier is out: held against the labelled set, and by hand (D1)."""

import pytest

from lanekeeper.decisions.words import agrees, judge, language_of, plain
from tests.devkit.calibrate.labelled import PREDICATES, labelled
from tests.devkit.calibrate.measures import measure

# A list may miss much; what it finds must be right.
LEAST_PRECISION = 0.95
LEAST_RECALL = 0.75
LISTED = ("wants_human", "opt_out", "delete_request", "complaint", "risk", "under_age", "injection")


@pytest.fixture(scope="module")
def found():
    return [(sample, judge(sample.text)) for sample in labelled()]


@pytest.mark.parametrize("question", LISTED)
def test_a_word_list_is_right_when_it_says_yes_and_finds_the_plain_ways_of_saying_it(question: str, found):
    counted = measure((question in sample.labels, question in answers) for sample, answers in found)
    assert counted.precision is not None
    assert counted.precision >= LEAST_PRECISION, counted
    assert counted.recall is not None
    assert counted.recall >= LEAST_RECALL, counted


def test_questions_without_a_list_are_left_unanswered(found):
    assert {name for _, answers in found for name in answers} - {"language"} == set(LISTED)
    assert "out_of_scope" in PREDICATES


def test_the_language_is_named_rightly_or_not_at_all(found):
    named = [(sample.language, answers["language"].value) for sample, answers in found if "language" in answers]
    wrong = [pair for pair in named if pair[0] != pair[1]]
    assert len(named) > 250
    assert len(wrong) / len(named) < 0.03, wrong


@pytest.mark.parametrize(
    "text",
    [
        "stop by the shop", "how do I delete a row in excel", "I'm dying of laughter", "ich lach mich tot",
        "me muero de hambre", "笑死我了", "笑いすぎて死にそう", "Comment supprimer mon compte Facebook ?",
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_is_not_acted_on(text: str):
    assert set(judge(text)) <= {"language"}


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes!",
        " YES, please. ",
        "sí",
        "Si",
        "ja",
        "Ja, bitte!",
        "oui",
        "sì",
        "sim",
        "はい",
        "是的",
        "确认",
        "yes delete it",
    ],
)
def test_yes_is_yes_in_every_language_of_the_lines(text: str):
    assert agrees(text)


@pytest.mark.parametrize(
    "text", ["", "no", "yes but not now", "yesterday", "nein", "maybe yes", "ja nein", "いいえ", "不是"]
)
def test_anything_else_is_no_yes(text: str):
    assert not agrees(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  DON\u2019T   Stop!! ", "dont stop"),
        ("Möchte ÜBER", "mochte uber"),
        ("noooooo waaay", "noo waay"),
        ("ガギグ", "ガギグ"),
        ("\uff26\uff35\uff2c\uff2c\u3000wide", "full wide"),
    ],
)  # fmt: skip
def test_the_plain_form_drops_what_does_not_tell_words_apart(text: str, expected: str):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("", None), ("ok", None), ("12345 ???", None), ("日本語です", "ja"), ("中文", "zh")]
)
def test_a_language_is_told_by_its_script_or_by_enough_of_its_words(text: str, expected: str | None):
    assert language_of(text) == expected


def test_a_very_long_message_is_judged_in_no_time_worth_naming():
    # Steps, not seconds: a pattern that tries every way to match would never come back from this.
    assert set(judge("please tell me " * 4000)) <= {"language"}
    assert set(judge("我" * 20000)) <= {"language"}
