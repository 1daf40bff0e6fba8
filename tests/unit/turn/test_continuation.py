"""A draft that died after its first text is continued, never said twice."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.turn.continuation import Continuation


def shown(said: str, pieces: list[str]) -> tuple[str, str]:
    continuation = Continuation(said)
    new = "".join([*(continuation.take(piece) for piece in pieces), continuation.end()])
    return new, continuation.whole


def test_a_new_answer_is_shown_as_it_comes() -> None:
    assert shown("", ["Hel", "lo"]) == ("Hello", "Hello")


def test_a_model_that_goes_on_is_heard_at_once() -> None:
    assert Continuation("The train leaves").take(" at") == " at"
    assert shown("The train leaves", [" at", " noon."]) == (" at noon.", "The train leaves at noon.")


def test_a_model_that_starts_over_is_heard_from_where_the_shown_words_end() -> None:
    assert shown("The train", ["The ", "train lea", "ves."]) == (" leaves.", "The train leaves.")


def test_a_model_that_only_repeats_what_was_shown_adds_nothing() -> None:
    assert shown("The train", ["The ", "train"]) == ("", "The train")
    assert shown("The train", ["The "]) == ("", "The train")


def test_a_model_that_begins_with_the_same_words_by_chance_loses_none_of_its_own() -> None:
    assert shown("The train", ["The", " bus goes."])[0].strip() == "The bus goes."


def test_the_last_words_taken_up_again_are_said_once() -> None:
    assert shown("The capital of France is", ["of France", " is Paris."])[1] == "The capital of France is Paris."
    assert shown("We met in May", [" May I"])[1] == "We met in May May I"


def test_a_new_beginning_in_the_middle_of_a_sentence_is_set_apart() -> None:
    assert shown("The capital of", ["Sure! ", "It is Paris."])[1] == "The capital of\n\nSure! It is Paris."
    assert shown("I saw Mc", ["Donald."])[0].strip() == "Donald."


@given(said=st.text(max_size=12), whole=st.text(max_size=12), cuts=st.lists(st.integers(0, 12), max_size=4))
def test_what_was_shown_always_begins_the_answer_and_what_is_stored_is_what_was_shown(
    said: str, whole: str, cuts: list[int]
) -> None:
    edges = [0, *sorted(cuts), len(whole)]
    pieces = [whole[begin:end] for begin, end in pairwise(edges)]
    new, stored = shown(said, pieces)
    assert stored == said + new


@given(text=st.text(min_size=1, max_size=20), cut=st.integers(0, 20))
def test_a_deterministic_model_gives_the_same_answer_as_if_nothing_had_happened(text: str, cut: int) -> None:
    assert shown(text[:cut], list(text))[1] == text
