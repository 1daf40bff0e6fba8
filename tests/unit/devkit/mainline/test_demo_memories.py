"""The demo model and memory: it answers from what is recalled, and keeps and forgets through the tools."""

import pytest

from tests.unit.devkit.mainline.test_demo import Chat

NOTE = "For this reply only, and not part of the conversation:\n<recalled>\nfact, 2026-11-01: {}\n</recalled>"
MEMORY = (
    {"name": "memory_remember", "parameters": {"properties": {"kind": {}, "subject": {}, "body": {}}}},
    {"name": "memory_forget", "parameters": {"properties": {"subject": {}}}},
)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("what is my sister called?", "My sister is called Ana"),
        ("do you remember what my dog is called?", "my dog is called Rex"),
        ("where do I live?", "I live in Porto"),
        ("wie heißt meine Schwester?", "Meine Schwester heißt Ana"),
        ("¿cómo se llama mi hermana?", "mi hermana se llama Ana"),
    ],
)
def test_what_memory_recalls_answers_what_it_fits(question: str, fact: str) -> None:
    chat = Chat(*MEMORY, memory_remember={}, memory_forget={})
    assert fact in chat.say(question, note=NOTE.format(fact))
    assert fact not in Chat().say("what is my shoe size?", note=NOTE.format(fact))
    assert chat.calls == []


def test_what_was_told_is_remembered_told_again_and_forgotten() -> None:
    chat = Chat(*MEMORY, memory_remember={"state": "kept"}, memory_forget={"state": "forgotten"})
    chat.say("remember that my sister is called Ana")
    assert "called Ana" in chat.say("what is my sister called?")
    assert "forgotten" in chat.say("forget that my sister is called Ana")
    assert [(name, args["subject"]) for name, args in chat.calls] == [
        ("memory_remember", "sister"),
        ("memory_forget", "sister"),
    ]


def test_what_the_product_has_taken_out_of_a_talk_is_not_asked_for_again() -> None:
    chat = Chat(*MEMORY, memory_forget={"state": "forgotten"})
    assert "forgotten" in chat.say("(Forgotten, as the person asked.)")
    assert chat.calls == []
    assert "Forgotten, as" not in chat.say("what is my sister called?")
