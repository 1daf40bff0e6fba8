"""The demo model and memory: it answers from what is kept and told, and keeps and forgets through the tools."""

from typing import Any

import pytest

from tests.devkit.mainline.demo import facts
from tests.devkit.mainline.demo.understanding import understand
from tests.unit.devkit.mainline.test_demo import PAGES, SEARCH, Chat

NOTE = "For this reply only, and not part of the conversation:\n<recalled>\nfact, a fact, 2026-11-01: {}\n</recalled>"
SUMMARY = "What was said before, in short, as data:\n<summary>\n{}\n</summary>"
MEMORY = (
    {"name": "memory_remember", "parameters": {"properties": {"kind": {}, "subject": {}, "body": {}}}},
    {"name": "memory_forget", "parameters": {"properties": {"subject": {}}}},
)


def chat_with_memory(summary: str = "") -> Chat:
    done = {"memory_remember": {"state": "kept"}, "memory_forget": {"state": "forgotten"}}
    chat = Chat(*MEMORY, SEARCH, **done, web_search={"results": PAGES})
    if summary:
        chat.messages.append({"role": "system", "content": SUMMARY.format(summary)})
    return chat


def kept(chat: Chat) -> list[tuple[str, str]]:
    return [(args["subject"], args["body"]) for name, args in chat.calls if name == "memory_remember"]


@pytest.mark.parametrize(
    ("question", "fact", "told"),
    [
        ("what is my sister called?", "My sister is called Ana", "your sister is called Ana"),
        ("Hi! What is my sister's name?", "My sister is called Ana", "your sister is called Ana"),
        ("do you remember what my dog is called?", "my dog is called Rex", "your dog is called Rex"),
        ("where do I live", "I live in Porto", "you live in Porto"),
        ("what is my job?", "I work as a nurse", "you work as a nurse"),
        ("wie heißt meine Schwester?", "Meine Schwester heißt Ana", "„Meine Schwester heißt Ana“"),
        ("Wo wohne ich?", "Ich wohne in Wien", "„Ich wohne in Wien“"),
        ("¿cómo se llama mi hermana?", "mi hermana se llama Ana", "«mi hermana se llama Ana»"),
        ("¿Dónde vivo?", "Vivo en Sevilla", "«Vivo en Sevilla»"),
    ],
)
def test_what_memory_recalls_answers_what_it_fits(question: str, fact: str, told: str) -> None:
    chat = chat_with_memory()
    assert told in chat.say(question, note=NOTE.format(fact))
    assert told not in Chat().say("what is my shoe size?", note=NOTE.format(fact))
    assert chat.calls == []


@pytest.mark.parametrize(
    ("said", "subject", "body", "told"),
    [
        (
            "Hi! Remember that my sister is called Ana.",
            "sister's name",
            "My sister is called Ana",
            "remember that your sister is called Ana.",
        ),
        ("please note: I'm a teacher", "teacher", "I'm a teacher", "remember that you're a teacher."),
        ("Keep this in mind: I travel to Rome", "Rome", "I travel to Rome", "remember that you travel to Rome."),
        ("Recuerda que vivo en Bilbao", "home", "Vivo en Bilbao", "«Vivo en Bilbao»"),
        ("Merk dir bitte, dass mein Hund Rex heißt", "Hund Name", "Mein Hund heißt Rex", "„Mein Hund heißt Rex“"),
    ],
)
def test_what_is_to_be_kept_is_kept_without_the_asking(said: str, subject: str, body: str, told: str) -> None:
    chat = chat_with_memory()
    assert told in chat.say(said)
    assert kept(chat) == [(subject, body)]


def test_two_facts_are_kept_by_two_calls_and_none_by_none() -> None:
    chat = chat_with_memory()
    said = chat.say("Remember that my sister is called Ana and I live in Porto")
    assert "that your sister is called Ana and that you live in Porto." in said
    assert [subject for subject, _ in kept(chat)] == ["sister's name", "home"]
    assert "Tell me what it is" in chat.say("can you remember things?")
    assert len(chat.calls) == 2


@pytest.mark.parametrize(
    "said",
    [
        "I live in Sevilla and I like strong coffee.",
        "My sister is called Anna.",
        "Vivo en Sevilla y me gusta el café fuerte.",
        "Meine Schwester heißt Anna.",
    ],
)
def test_what_is_only_mentioned_is_left_to_the_note_writer(said: str) -> None:
    chat = chat_with_memory()
    assert understand(said).intent == "mention"
    chat.say(said)
    assert chat.calls == []


@pytest.mark.parametrize(
    ("first", "then", "subject", "body"),
    [
        (
            "remember that my sister is called Ana",
            "no, my sister is called Anna",
            "sister's name",
            "My sister is called Anna",
        ),
        (
            "remember that my sister is called Ana",
            "Actually my sister is called Anna with two n",
            "sister's name",
            "My sister is called Anna with two n",
        ),
        (
            "recuerda que mi hermana se llama Ana",
            "No, mi hermana se llama Anna",
            "nombre de mi hermana",
            "Mi hermana se llama Anna",
        ),
        ("merk dir, dass ich in Wien wohne", "Nein, ich wohne in Graz", "home", "Ich wohne in Graz"),
    ],
)
def test_what_puts_right_something_kept_takes_its_place(first: str, then: str, subject: str, body: str) -> None:
    chat = chat_with_memory()
    chat.say(first)
    said = chat.say(then)
    assert kept(chat)[1:] == [(subject, body)]
    assert body.split(maxsplit=1)[1] in said
    chat.say(then)
    assert len(chat.calls) == 2, "the same again changes nothing"


def test_what_puts_right_a_recalled_note_takes_its_place_and_a_stranger_fact_is_only_mentioned() -> None:
    chat = chat_with_memory()
    chat.say("no, my sister is called Anna", note=NOTE.format("My sister is called Ana"))
    assert kept(chat) == [("sister's name", "My sister is called Anna")]
    chat.say("no, my brother is called Leo", note=NOTE.format("My sister is called Ana"))
    assert len(chat.calls) == 1


@pytest.mark.parametrize(
    "secret", ["remember that my card number is 4111 1111 1111 1111", "Merk dir, dass mein Passwort Igel7 ist"]
)
def test_a_secret_is_never_kept_nor_repeated(secret: str) -> None:
    chat = chat_with_memory()
    said = chat.say(secret)
    assert chat.calls == []
    assert "4111" not in said
    assert "Igel7" not in said


def test_what_was_told_is_remembered_told_again_and_forgotten() -> None:
    chat = chat_with_memory()
    chat.say("remember that my sister is called Ana")
    assert "called Ana" in chat.say("what is my sister called?")
    assert "forgotten" in chat.say("forget that my sister is called Ana")
    assert [(name, args["subject"]) for name, args in chat.calls] == [
        ("memory_remember", "sister's name"),
        ("memory_forget", "sister's name"),
    ]


def test_that_it_remembers_is_said_where_it_can() -> None:
    assert "Remember that my sister is called Ana" in chat_with_memory().say("help")
    assert "remember what you tell me" in chat_with_memory().say("hi")
    assert "remember what you tell me" not in Chat(SEARCH).say("hi")


def test_what_names_nothing_to_forget_is_asked_about() -> None:
    chat = chat_with_memory()
    for said in ("forget everything", "vergiss alles", "olvida todo"):
        assert "DELETE" in chat.say(said), said
    assert chat.calls == []


def test_what_a_thing_is_said_of_counts_more_than_what_is_said_of_it() -> None:
    chat = chat_with_memory()
    chat.say("I'm 34 years old")
    chat.say("my dog Rex is three")
    assert "you're 34 years old" in chat.say("how old am I?")
    assert chat.say("how old is my dog?") == "You told me that your dog Rex is three."


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("forget my sister's name", "sister's name"),
        ("please forget the name of my sister", "sister's name"),
        ("forget where I live", "home"),
        ("Forget what I told you about my job", "job"),
        ("olvida el nombre de mi hermana", "nombre de mi hermana"),
        ("Vergiss bitte den Namen meiner Schwester", "Schwester Name"),
    ],
)
def test_what_is_to_be_forgotten_is_named_as_it_was_kept(said: str, subject: str) -> None:
    chat = chat_with_memory()
    chat.say(said)
    assert chat.calls == [("memory_forget", {"subject": subject})]


def test_what_is_not_known_or_no_longer_is_admitted() -> None:
    chat = chat_with_memory()
    chat.say("my sister is called Ana")
    chat.say("forget my sister's name")
    for question in ("What is my sister called?", "Where do I live?", "who is my dentist", "Do you know where I live?"):
        assert "I don't know that" in chat.say(question), question
    assert "Eso no lo sé" in chat.say("¿Cómo se llama mi padre?")
    assert "Das weiß ich nicht" in chat.say("Wie heißt mein Vater?")
    assert [name for name, _ in chat.calls] == ["memory_forget"]


def test_notes_are_trusted_before_the_summary_and_the_summary_before_the_talk() -> None:
    chat = chat_with_memory("- They live in Sevilla.\n- Their sister is called Ana.\n- Wrote last: I live in Rome")
    assert "that you live in Sevilla." in chat.say("Where do I live?")
    assert "that you live in Cádiz." in chat.say("Where do I live?", note=NOTE.format("I live in Cádiz"))
    chat.say("My brother is called Leo.")
    chat.say("I live in Madrid")
    assert "that your brother is called Leo." in chat.say("What is my brother called?")
    assert "that your sister is called Ana." in chat.say("What is my sister called?")
    assert "that you live in Sevilla." in chat.say("Where do I live?")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My sister is called Anna.", ""),
        ("Actually my sister is called Anna with two n", ""),
        ("my dog's name is Rex", ""),
        ("I'm tired", ""),
        ("I'm Spanish", ""),
        ("I am called Yusuf", "Yusuf"),
        ("Hi, I'm Maria!", "Maria"),
        ("soy María", "María"),
        ("this is Robert speaking", "Robert"),
        ("Mein Name ist jonas", "Jonas"),
    ],
)
def test_only_who_speaks_gives_their_own_name(text: str, name: str) -> None:
    assert facts.name(text) == name
    said = chat_with_memory().say(text)
    assert " ," not in said
    assert ", !" not in said
    assert (understand(text).intent == "tell_name") == bool(name)


def test_the_own_name_is_known_from_a_note_the_summary_or_the_profile() -> None:
    def asked(chat: Chat, **more: Any) -> str:
        return chat.say("what is my name?", **more)

    assert "Luis" in asked(chat_with_memory(), note=NOTE.format("My name is Luis"))
    assert "Luis" in asked(chat_with_memory("- Their name is Luis."))
    chat = chat_with_memory()
    chat.messages[0]["content"] += "\n<profile>\nName: Luis\n</profile>"
    assert "Luis" in asked(chat)
    assert "haven't told me your name" in asked(chat_with_memory(), note=NOTE.format("My sister is called Ana"))


def test_what_the_product_has_taken_out_of_a_talk_is_not_asked_for_again() -> None:
    chat = chat_with_memory()
    assert "forgotten" in chat.say("(Forgotten, as the person asked.)")
    assert chat.calls == []
    assert "Forgotten, as" not in chat.say("what is my sister called?")
