"""The demo model takes notes of what a person plainly says of themselves, and of nothing else."""

import json
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.memory.answer import read, request
from lanekeeper.memory.segment import Line, Segment
from tests.devkit.mainline.demo import backstage


def noted(*said: str, role: str = "user") -> list[dict[str, Any]]:
    lines = tuple(
        Line(id=f"m{place}", role=role, text=text, day="Monday 2026-11-30", position=place)
        for place, text in enumerate(said)
    )
    segment = Segment(user_id="ana", conversation_id="c", lines=lines, after=0, until=len(lines))
    answer = backstage.answer({"messages": request(segment)}, "notes")
    assert answer is not None
    assert read({"content": answer}, segment, Limits()).wrong == ()
    notes: list[dict[str, Any]] = json.loads(answer)["notes"]
    return notes


@pytest.mark.parametrize(
    ("said", "kind", "subject", "body"),
    [
        ("Hello! My sister is called Ana.", "fact", "sister name", "My sister is called Ana"),
        ("Remember that I live in Oslo", "fact", "home", "I live in Oslo"),
        ("I have two coffees a day", "fact", "two coffees a", "I have two coffees a day"),
        ("I don't drink coffee", "dislike", "coffee", "I don't drink coffee"),
        ("I love jazz!", "preference", "jazz", "I love jazz"),
        ("My favourite colour is blue", "preference", "colour", "My favourite colour is blue"),
        ("I'm flying to Lisbon", "plan", "Lisbon", "I'm flying to Lisbon"),
        ("Meine Schwester heißt Ana", "fact", "Schwester name", "Meine Schwester heißt Ana"),
    ],
)
def test_a_plain_sentence_becomes_a_note(said: str, kind: str, subject: str, body: str) -> None:
    [note] = noted(said)
    assert (note["kind"], note["subject"], note["body"], note["source_message_id"]) == (kind, subject, body, "m0")


@pytest.mark.parametrize(
    "said", ["ok thanks", "What is my sister called?", "What time is it in Oslo?", "Do I like jazz?"]
)
def test_thanks_and_questions_become_none(said: str) -> None:
    assert noted(said) == []


def test_the_last_word_on_a_subject_counts_and_others_lines_do_not() -> None:
    assert [note["body"] for note in noted("I live in Oslo", "I live in Malmö")] == ["I live in Malmö"]
    assert noted("I live in Oslo", role="assistant") == []
