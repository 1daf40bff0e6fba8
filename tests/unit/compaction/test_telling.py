"""A new summary still tells what the one before it told, or it is noticed (B020)."""

import pytest

from lanekeeper.compaction.telling import MOST_NAMED, lost

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
