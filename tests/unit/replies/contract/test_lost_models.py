"""A model that has lost its way writes line breaks for minutes: reading them takes no such time (T5).

Were blank space tried from each place in it, these would take minutes too.
"""

from tests.unit.replies.contract.speaking import speak


def test_blank_space_without_end_keeps_no_turn_waiting() -> None:
    out, fault = speak("Hi" + "\n" * 200_000 + "<b")
    assert (out.strip(), fault) == ("Hi", "length")


def test_a_tag_that_is_never_finished_keeps_no_turn_waiting() -> None:
    text = "Hi <a" + "\n" * 3000 + "b"
    assert speak(text) == (text, "")
