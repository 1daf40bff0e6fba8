"""A draft on its way out: one form for breaks, continued where another call was cut off, held to the contract."""

from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from lanekeeper.limits import Limits
from lanekeeper.replies.contract import BREAK, MARK, Contract, Known, Rules, Script
from lanekeeper.turn.draft import Draft


def draft(said: str = "") -> Draft:
    return Draft(
        Contract(Rules(known=Known(), marks=(MARK,), chars=4000, script=Script("", "", Limits())), 3, said), said
    )


def shown(pieces: Sequence[str], said: str = "") -> str:
    writing = draft(said)
    out = "".join(writing.take(piece) for piece in pieces) + writing.end()
    assert writing.said == said + out
    return out


def test_messages_are_set_apart_by_one_form_of_break_whatever_the_model_put_around_its_mark() -> None:
    assert shown([f"One.\n\n{MARK}\n\n  Two.\n{MARK}"]) == f"One.{BREAK}Two."
    assert shown(list(f"{MARK}\nOne. \n{MARK}\n{MARK}\nTwo.")) == f"One.{BREAK}Two."


def test_a_draft_that_died_inside_its_second_message_is_continued_there() -> None:
    said = f"One.{BREAK}The train leaves"
    assert shown([" at noon."], said) == " at noon."
    assert shown(list(f"One.\n\n{MARK}\nThe train leaves at noon."), said) == " at noon."
    assert shown([f"\n{MARK}\nThree."], said) == f"{BREAK}Three."


def test_a_draft_that_died_between_two_messages_may_begin_the_second() -> None:
    assert shown(list(f"{MARK}\nTwo."), "One.") == f"{BREAK}Two."
    assert shown(list(f"One.\n{MARK}\nTwo."), "One.") == f"{BREAK}Two."


def test_an_answer_does_not_begin_before_its_first_word() -> None:
    assert draft().take("\n \n") == ""
    assert shown(["\n \n", "  "]) == ""
    assert shown(["\n", "Hello ", "you."]) == "\nHello you."


@given(text=st.lists(st.sampled_from(["One. ", "Two", "\n", f"\n{MARK}\n", MARK, " "]), max_size=8).map("".join))
def test_a_model_that_starts_over_gives_the_same_answer_as_if_nothing_had_happened(text: str) -> None:
    assume(not text.lstrip().startswith(MARK))  # where words went before, that begins another message
    whole = shown(list(text))
    for cut in range(1, len(whole)):
        said = whole[:cut]
        if not said.strip() or any(said.endswith(BREAK[:n]) for n in range(1, len(BREAK) + 1)):
            continue  # a break goes out with the words behind it
        assert said + shown(list(text), said) == whole, said
