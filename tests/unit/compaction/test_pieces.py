"""A history that no model can read at once is read in pieces, and what is too large even so without its middle (C2)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lanekeeper.compaction import pieces
from lanekeeper.compaction.rules import size
from tests.integration.turn.reading import is_valid_history
from tests.unit.compaction.threads import ids, message, thread, wire


@given(
    forms=st.lists(st.sampled_from(["h a", "h c1 r1 a", "h c1,c2 r1 r2 a"]), min_size=1, max_size=6),
    room=st.integers(1, 2_000),
    chars=st.integers(1, 3_000),
)
@settings(deadline=None)
def test_every_message_is_read_once_and_each_piece_is_valid_history(forms: list[str], room: int, chars: int) -> None:
    covered = []
    for number, form in enumerate(forms):
        own = form.replace("c", f"c{number}x").replace("r", f"r{number}x")
        covered += thread(own, turns=[f"t{number}"], text="y" * chars, first=len(covered) + 1)
    read = list(pieces(covered, room))
    assert [one for piece in read for one in ids(piece)] == ids(covered)
    assert all(is_valid_history(wire(piece)) for piece in read)


def test_what_fits_is_read_in_one_piece_as_it_is() -> None:
    covered = thread("h a h a", turns=["t1", "t2"])
    assert list(pieces(covered, size(covered) + 50)) == [covered]


def test_pieces_end_where_a_turn_does() -> None:
    covered = thread("h a h c1 r1 a h a", turns=["t1", "t2", "t3"], text="z" * 400)
    read = list(pieces(covered, size(covered[:6]) + 20))
    assert [ids(piece) for piece in read] == [["m1", "m2", "m3", "m4", "m5", "m6"], ["m7", "m8"]]


def test_a_turn_that_is_too_large_is_parted_behind_a_result_and_never_before_it() -> None:
    covered = thread("h c1 r1 c2 r2 a", turns=["t1"], text="z" * 4_000)
    read = list(pieces(covered, size(covered[:3]) + 100))
    assert [ids(piece) for piece in read] == [["m1", "m2", "m3"], ["m4", "m5", "m6"]]


def test_one_message_that_no_model_can_read_whole_is_read_without_its_middle() -> None:
    covered = thread("h a", turns=["t1"])
    huge = message("h", "m1", "first " + "x" * 100_000 + " last")
    covered[0] = type(covered[0])(huge, "t1", 1)
    (one, rest) = pieces(covered, 1_000)
    assert size(one) <= 1_000
    assert str(one[0].message.content).startswith("first ")
    assert str(one[0].message.content).endswith(" last")
    assert "are left out here" in str(one[0].message.content)
    assert ids(rest) == ["m2"]


def test_calls_and_results_that_are_too_large_stay_together_shortened() -> None:
    covered = thread("h c1,c2 r1 r2 a", turns=["t1"], text="w" * 40_000)
    read = list(pieces(covered, 2_000))
    assert [one for piece in read for one in ids(piece)] == ids(covered)
    together = next(piece for piece in read if "m2" in ids(piece))
    assert ids(together) == ["m2", "m3", "m4"]
    assert size(together) <= 2_000
    assert is_valid_history(wire(together))


def test_dense_text_in_the_kept_part_does_not_pass_the_room() -> None:
    covered = thread("h", turns=["t1"])
    mixed = message("h", "m1", "東京" * 3_000 + "plain words " * 5_000)
    covered[0] = type(covered[0])(mixed, "t1", 1)
    (piece,) = pieces(covered, 1_500)
    assert size(piece) <= 1_500
