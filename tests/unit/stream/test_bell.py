"""What a stream has heard of its turn, and what of it can be sent without a look."""

import pytest

from lanekeeper.stream.bell import Ear

MOST = 5


def heard(*told: tuple[int, list[str]]) -> Ear:
    ear = Ear("turn_1", MOST)
    for seq, chunks in told:
        ear.hear(seq, chunks)
    return ear


@pytest.mark.parametrize(
    ("told", "after", "taken"),
    [
        ([(3, ["b", "c"])], 1, [(2, "b"), (3, "c")]),
        ([(3, ["b", "c"]), (4, ["d"])], 2, [(3, "c"), (4, "d")]),
        ([(2, ["b"]), (4, ["d"])], 1, [(2, "b")]),
        ([(4, ["d"])], 1, []),
        ([(4, [])], 3, []),
        ([(4, ["d"]), (4, ["d"])], 3, [(4, "d")]),
        ([(4, ["d"])], 4, []),
    ],
    ids=["all", "in two", "as far as there is no gap", "none after a gap", "told nothing", "told twice", "sent before"],
)
def test_what_was_told_counts_as_far_as_it_follows(
    told: list[tuple[int, list[str]]], after: int, taken: list[tuple[int, str]]
) -> None:
    ear = heard(*told)
    assert [(row["seq"], row["chunk"]) for row in ear.take(after)] == taken
    assert ear.take(after) == []


def test_a_slow_stream_is_told_no_more_than_it_can_keep() -> None:
    ear = heard(*((seq, ["x"]) for seq in range(1, MOST + 2)))
    assert ear.take(0) == []


def test_what_was_told_of_a_turn_is_not_taken_for_another_one() -> None:
    ear = heard((1, ["a"]))
    ear.turn_to("turn_2")
    assert ear.take(0) == []
