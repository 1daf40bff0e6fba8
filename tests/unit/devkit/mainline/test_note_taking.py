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
        ("Hello! My sister is called Ana.", "fact", "sister's name", "My sister is called Ana"),
        ("Remember that I live in Oslo", "fact", "home", "I live in Oslo"),
        ("I have two coffees a day", "fact", "coffees", "I have two coffees a day"),
        ("I don't drink coffee", "dislike", "coffee", "I don't drink coffee"),
        ("I love jazz!", "preference", "jazz", "I love jazz"),
        ("My favourite colour is blue", "preference", "colour", "My favourite colour is blue"),
        ("I'm flying to Lisbon", "plan", "Lisbon", "I'm flying to Lisbon"),
        ("Me gusta el café fuerte", "preference", "café", "Me gusta el café fuerte"),
        ("No me gusta el pescado.", "dislike", "pescado", "No me gusta el pescado"),
        ("Hola, mi hermana se llama Ana", "fact", "nombre de mi hermana", "Mi hermana se llama Ana"),
        ("Merk dir, dass ich in Wien wohne.", "fact", "home", "Ich wohne in Wien"),
        ("Ich esse kein Fleisch", "dislike", "Fleisch", "Ich esse kein Fleisch"),
        ("We always take the night train", "fact", "always take night", "We always take the night train"),
        ("Meine Schwester heißt Ana", "fact", "Schwester Name", "Meine Schwester heißt Ana"),
    ],
)
def test_a_plain_sentence_becomes_a_note(said: str, kind: str, subject: str, body: str) -> None:
    [note] = noted(said)
    assert (note["kind"], note["subject"], note["body"], note["source_message_id"]) == (kind, subject, body, "m0")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "I live in Sevilla and I like strong coffee.",
            [("fact", "home", "I live in Sevilla"), ("preference", "coffee", "I like strong coffee")],
        ),
        (
            "Vivo en Sevilla y me gusta el café fuerte.",
            [("fact", "home", "Vivo en Sevilla"), ("preference", "café", "Me gusta el café fuerte")],
        ),
        (
            "Ich wohne in Wien und ich mag starken Kaffee.",
            [("fact", "home", "Ich wohne in Wien"), ("preference", "Kaffee", "Ich mag starken Kaffee")],
        ),
        (
            "I like green tea. My brother lives in Porto, but I work as a nurse in Lisbon!",
            [
                ("preference", "tea", "I like green tea"),
                ("fact", "brother's home", "My brother lives in Porto"),
                ("fact", "work", "I work as a nurse in Lisbon"),
            ],
        ),
    ],
)
def test_a_sentence_that_says_two_things_becomes_two_notes(said: str, found: list[tuple[str, str, str]]) -> None:
    assert [(note["kind"], note["subject"], note["body"]) for note in noted(said)] == found


@pytest.mark.parametrize(
    "said",
    [
        "I love it",
        "forget that I like jazz",
        "Vergiss, dass ich in Wien wohne",
        "I'm going to bed",
        "Remember that my card number is 4111 1111 1111 1111",
        "ok thanks",
        "What is my sister called?",
        "What time is it in Oslo?",
        "Do I like jazz?",
    ],
)
def test_thanks_questions_and_what_is_to_be_forgotten_become_none(said: str) -> None:
    assert noted(said) == []


def test_the_last_word_on_a_subject_counts_and_others_lines_do_not() -> None:
    assert [note["body"] for note in noted("I live in Oslo", "I live in Malmö")] == ["I live in Malmö"]
    right = noted("my sister is called Ana", "no, my sister is called Anna with two n")
    assert [(note["subject"], note["body"]) for note in right] == [
        ("sister's name", "My sister is called Anna with two n")
    ]
    assert noted("I live in Oslo", role="assistant") == []
