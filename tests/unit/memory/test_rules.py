"""What becomes a note, which of two stands, and what hits are worth."""

import pytest

from lanekeeper.memory.rules import Label, Rival, Settled, cut_body, label, normalised_subject, settle

STATED = Rival(id="old", body="does not drink coffee", source="stated")
GUESSED = Rival(id="guess", body="avoids caffeine", source="inferred")


@pytest.mark.parametrize(
    ("written", "subject"),
    [
        ("My  Sister's name!", "sister name"),
        ("sister\u2019s name", "sister name"),
        ("The user's Café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("北京", "北京"),
        ("my", "my"),
        ("?!", ""),
    ],
)
def test_one_subject_has_one_spelling(written: str, subject: str) -> None:
    assert normalised_subject(written) == subject


def test_a_subject_is_cut_to_its_length() -> None:
    assert normalised_subject("a" * 300, 80) == "a" * 80


def test_a_newer_statement_stands_in_place_of_the_older_b060() -> None:
    assert settle("stated", "two coffees a day", [STATED]) == Settled(kept=True, replaces="old")


def test_a_guess_never_replaces_what_was_said_b060() -> None:
    assert settle("inferred", "avoids caffeine", [STATED]) == Settled(kept=False)
    assert settle("inferred", "avoids caffeine", [GUESSED, STATED]) == Settled(kept=False)


def test_what_is_said_replaces_a_guess() -> None:
    assert settle("stated", "two coffees a day", [GUESSED]) == Settled(kept=True, replaces="guess")


def test_the_same_fact_again_changes_nothing() -> None:
    assert settle("stated", "Does not drink coffee!", [STATED]) == Settled(kept=False)
    assert settle("stated", "avoids caffeine", [GUESSED]) == Settled(kept=True, replaces="guess")


def test_a_body_is_cut_by_words_and_by_whole_characters() -> None:
    assert cut_body("one  two\nthree four", 3, 100) == "one two three"
    assert cut_body("ééé", 3, 5) == "éé"


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([], Label.ASK),
        ([("coffee", 0.1)], Label.ASK),
        ([("coffee", 0.9)], Label.AGREED),
        ([("coffee", 0.9), ("tea", 0.3)], Label.AGREED),
        ([("coffee", 0.9), ("coffee", 0.9)], Label.AGREED),
        ([("coffee", 0.9), ("tea", 0.8)], Label.AMBIGUOUS),
        ([("tea", 0.5), ("coffee", 0.9)], Label.AGREED),
        ([("coffee", 0.4)], Label.AMBIGUOUS),
    ],
)
def test_code_says_what_hits_are_worth(hits: list[tuple[str, float]], expected: Label) -> None:
    assert label(hits) is expected


LATER = Rival(id="later", body="two coffees a day", source="stated", said_later=True)
GUESSED_LATER = Rival(id="later", body="avoids caffeine", source="inferred", said_later=True)


def test_what_was_said_last_stands_in_whichever_order_it_is_read() -> None:
    assert settle("stated", "does not drink coffee", [LATER]) == Settled(kept=False)
    assert settle("inferred", "likes caffeine", [GUESSED_LATER]) == Settled(kept=False)
    assert settle("stated", "does not drink coffee", [GUESSED_LATER]) == Settled(kept=True, replaces="later")
