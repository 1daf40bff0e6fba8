"""A new summary still tells what the one before it told, or it is noticed (B020)."""

import pytest

from lanekeeper.compaction.telling import MOST_NAMED, carried, is_lost, lost
from lanekeeper.mainline import tokens

OLD = "The person's sister is Ana, born 1991. Their dog Rex eats at 18:30. Mail: ana@example.org."

HELD = [
    ("The person's sister is called Ana.", "The sister of the person is called Ana. They plan a trip to Oslo."),
    (OLD, OLD + " They now look for a flat."),
    (OLD, "- Sister Ana (1991), ana@example.org\n- Dog Rex, eats at 18:30, and the person has a new job"),
    ("妹妹叫小安,住在里斯本。", "妹妹叫小安,住在里斯本。他想养一只猫。"),
    (
        "Die Schwester heißt Ana und wohnt in Köln.",
        "Ana, die Schwester, wohnt seit 1991 in Köln.",
    ),
    ("They like hiking and black tea.", "They like black tea and hiking, and dislike rain."),
    ("They said hello.", "They said hello and asked for a poem."),
]

DROPPED = [
    ("The person's sister is called Ana.", "The person asked about trains to Oslo.", "Ana"),
    ("Ana is the sister.", "The person has a dog named Rex, and a sister.", "Ana"),
    (OLD, "The person likes trains, their sister and their dog.", "1991"),
    ("The code of the gate is 4711.", "The code of the gate is 47110.", "4711"),
    ("Order 12 is paid.", "Order 123 is paid.", "12"),
    ("妹妹叫小安,住在里斯本。", "这个人想养一只猫。", "妹妹"),
    ("名前はアナです。", "天気が良いです。", "アナ"),
    ("They like hiking and black tea.", "Something was said of weather forecasts.", "hiking"),
]


@pytest.mark.parametrize(("old", "new"), HELD)
def test_a_summary_that_holds_the_telling_words_of_the_one_before_is_taken(old: str, new: str) -> None:
    assert lost(old, new) == []


@pytest.mark.parametrize(("old", "new", "word"), DROPPED)
def test_a_summary_that_dropped_them_is_found_out_and_what_is_missing_is_named(old: str, new: str, word: str) -> None:
    assert word in lost(old, new)


def test_a_long_summary_may_lose_a_little() -> None:
    old = " ".join(f"Name{number} bought item{number}." for number in range(10))
    assert lost(old, old.replace("Name3", "somebody")) == []


def test_not_more_is_named_than_a_model_can_take_up() -> None:
    assert len(lost(" ".join(f"Name{n}" for n in range(500)), "nothing")) == MOST_NAMED


def test_small_talk_may_go_where_names_and_numbers_stay() -> None:
    old = "Ana, Ben and Cleo live at number 12. They spoke of clouds, rivers, mountains, valleys and country roads."
    assert lost(old, "Ana, Ben and Cleo live at 12. They now look for a boat.") == []


def test_what_is_carried_over_tells_what_was_lost_and_has_no_more_than_its_room() -> None:
    old = "Long ago they spoke of the weather.\nThe sister is Ana.\nThe dog is Rex, 4 years old.\nThe cat is Tom."
    assert carried(old, "The sister Ana has a new flat.", 100) == (
        "Long ago they spoke of the weather.\nThe dog is Rex, 4 years old.\nThe cat is Tom."
    )
    for room in range(0, 30, 3):
        assert tokens.estimate(carried(old, "Ana has a new flat.", room)) <= room
    assert carried(old, "Ana has a new flat.", 8) == "The dog is Rex, 4 years old."


def test_a_summary_that_holds_not_even_half_of_the_names_cannot_stand_in_for_the_one_before() -> None:
    old = "Ana, Ben, Cleo and Dora are friends."
    assert not is_lost(old, "Ana and Ben are friends of theirs.")
    assert is_lost(old, "Ana is a friend.")
