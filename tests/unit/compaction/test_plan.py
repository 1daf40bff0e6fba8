"""Where a conversation is cut: at the beginning of a turn, with everything in exactly one of the two parts (C2)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.compaction import plan
from lanekeeper.compaction.rules import size
from lanekeeper.graph import ThreadMessage
from lanekeeper.limits import Limits
from tests.integration.turn.reading import is_valid_history
from tests.unit.compaction.threads import HISTORY, ids, thread, wire

EAGER = Limits(compaction_least_tokens=1, compaction_kept_tokens=0, compaction_kept_turns=1)

TURNS = st.lists(
    st.sampled_from(["h a", "h c1 r1 a", "h c1,c2 r1 r2 a", "h h c1 r1 c2,c3 r2 r3 a", "h c1 r1 h a", "h"]),
    min_size=1,
    max_size=8,
)


def numbered(forms: list[str]) -> list[ThreadMessage]:
    """Turns of these forms, each call with a number of its own."""
    made: list[ThreadMessage] = []
    for number, form in enumerate(forms):
        own = form.replace("c", f"c{number}x").replace("r", f"r{number}x")
        part = thread(own, turns=(), first=len(made) + 1)
        made += [replace(one, turn_id=f"t{number}") for one in part]
    return made


@given(forms=TURNS, budget=st.integers(0, 400), turns=st.integers(1, 6), with_turns=st.booleans())
def test_for_every_budget_both_parts_are_valid_history_and_together_all_of_it_b007(
    forms: list[str], budget: int, turns: int, with_turns: bool
) -> None:
    whole = numbered(forms)
    if not with_turns:
        whole = [replace(one, turn_id=None) for one in whole]
    limits = replace(EAGER, compaction_kept_tokens=budget, compaction_kept_turns=turns)
    found = plan(whole, limits)
    if found is None:
        return
    assert ids(found.covered) + ids(found.kept) == ids(whole)
    assert is_valid_history(wire(found.covered))
    assert is_valid_history(wire(found.kept))
    assert found.kept[0].message.type == "human"
    assert found.ids == ids(found.covered)
    newest = max(index for index, one in enumerate(whole) if one.message.type == "human")
    assert whole[newest] in found.kept


@pytest.mark.parametrize("end", range(1, 10))
def test_wherever_the_history_ends_a_cut_never_parts_a_call_from_its_results_b007(end: int) -> None:
    whole = thread(HISTORY)[:end]
    found = plan(whole, EAGER)
    if end < 6:
        assert found is None
    else:
        assert found is not None
        assert ids(found.covered) == ["m1", "m2", "m3", "m4", "m5"]


@given(forms=TURNS, running=st.integers(0, 7))
def test_nothing_of_a_turn_that_is_still_answered_is_covered(forms: list[str], running: int) -> None:
    whole = numbered(forms)
    unfinished = f"t{min(running, len(forms) - 1)}"
    found = plan(whole, EAGER, frozenset({unfinished}))
    assert found is None or unfinished not in {one.turn_id for one in found.covered}
    # And of those before it the newest stays whole.
    if found is not None:
        assert len({one.turn_id for one in found.kept}) >= 2


def test_a_call_that_never_got_its_result_keeps_its_turn_and_the_next_together() -> None:
    whole = thread("h c1 h a h a", turns=["t1", "t2", "t3"])
    assert plan(whole, EAGER) is None


def test_messages_that_joined_a_turn_stay_with_it() -> None:
    whole = thread("h a h h a", turns=["t1", "t2", "t2"])
    found = plan(whole, EAGER)
    assert found is not None
    assert ids(found.kept) == ["m3", "m4", "m5"]


def test_as_many_small_turns_stay_as_the_limits_allow() -> None:
    whole = thread(" ".join(["h a"] * 9), turns=[f"t{n}" for n in range(9)], text="x" * 400)
    roomy = replace(EAGER, compaction_kept_tokens=100_000, compaction_kept_turns=4)
    by_turns = plan(whole, roomy)
    assert by_turns is not None
    assert len(by_turns.kept) == 8
    by_tokens = plan(whole, replace(roomy, compaction_kept_tokens=size(whole[-4:])))
    assert by_tokens is not None
    assert len(by_tokens.kept) == 4


def test_the_newest_turn_stays_however_large_it_is() -> None:
    whole = [*thread("h a", turns=["t1"]), *thread("h a", turns=["t2"], text="x" * 50_000, first=3)]
    found = plan(whole, EAGER)
    assert found is not None
    assert ids(found.kept) == ["m3", "m4"]


def test_what_is_too_little_is_left_as_it_is() -> None:
    whole = thread("h a h a", turns=["t1", "t2"])
    assert plan(whole, replace(EAGER, compaction_least_tokens=200)) is None
    assert plan([], EAGER) is None
    assert plan(whole, replace(EAGER, compaction_least_tokens=size(whole[:2]))) is not None
