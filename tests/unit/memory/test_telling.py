"""By which words a text gives a forgotten fact away, and what is left without them (W4)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.memory.telling import Telling, digest
from lanekeeper.memory.unnoted import said_about
from lanekeeper.memory.words import sentences, units

SISTER = Telling.of("sister name", "sister is called Ana")


@pytest.mark.parametrize(
    ("subject", "body", "told", "untold"),
    [
        ("sister name", "sister is called Ana", "ANA is here", "what is my sister called? banana"),
        ("sister name", "Ana is the user's sister", "ana is here", "my sister is here"),
        ("hund", "Der Hund heißt Bello", "Ist das Bellos Leine?", "Mein Hund ist krank"),
        ("home", "lives in Malmö", "the weather in malmo", "my home is far"),
        ("phone", "phone is +49 170 1234567", "call 491701234567", "call me on my phone"),
        ("mail", "reach them at ana.lima@example.org", "write to Ana.Lima@Example.org", "write to a mail"),
        ("budget", "budget is 12.50 a month", "so 12,50 then", "so 12 a month then"),
        ("order", "ordered KX42ZP", "where is kx42zp", "where is my order"),
        ("age", "is 35", "I am 35", "I am 53"),
        ("locker", "locker at the gym is 417", "so 417 then", "the gym has 41 lockers"),
        ("rent", "pays 900 for two rooms in town", "two rooms in town for 900", "some 900 people came"),
        ("sister", "sister is called zelda and lives in oslo", "is zelda coming", "my sister called yesterday"),
        ("hund", "der hund heißt wuschel und ist alt", "wuschel bellt", "der hund bellt"),
        ("hermana", "la hermana se llama lucía y vive en cádiz", "viene lucia", "viene la hermana"),
        ("diet", "vegan", "a Vegan dish", "my diet"),
        ("vegan", "is vegan", "a vegan dish", "a meat dish"),
        ("brother", "brother is called Will", "say hello to Will", "what will my brother do?"),
        (
            "hobby",
            "likes hiking in the mountains with friends",
            "I hike mountains. With friends",
            "my friends like tea",
        ),
        ("hobby", "likes hiking in mountains near Bergen", "I went to Bergen", "I like mountains"),
        ("mushrooms", "I don't like mushrooms", "- Does not like mushrooms.", "I don't know"),
        ("mushrooms", "Doesn\u2019t eat mushrooms", "Dislikes mushrooms", "I eat bread"),
        ("pilze", "Ich hasse Pilze", "Mag keine Pilze", "Ich hasse Regen"),
        ("vegan", "I'm vegan", "Is vegan", "I'm at home"),
        ("reading", "reads", "they read", "my reading lamp"),
        ("job", "I work as a nurse", "- Profession: nurse", "- Profession: cook"),
        ("salary", "earns 3100 a month", "- Earns 3,100 EUR", "- Earns 3.1 EUR"),
        ("salary", "earns 3.100,00 EUR", "3100 it is", "31 it is"),
        ("rent", "pays 1.250,50 EUR", "so 1250.5", "so 1250"),
        ("trip", "flies to Lisbon in May 2026", "Lisbon is lovely", "in May I am free; 2026 will be fine"),
        ("姐姐名字", "我姐姐叫安娜", "安娜是谁", "我姐姐是谁"),
        ("姉の名前", "姉の名前はアナです", "アナさんですか", "姉の名前は"),
        ("언니 이름", "언니 이름은 안나예요", "안나는 누구", "언니는 누구"),
        ("강아지", "강아지 이름은 초코예요", "초코군요", "강아지군요"),
        ("сестра", "Сестру зовут Анна", "Анна здесь", "где моя сестра"),
    ],
)
def test_names_numbers_and_addresses_tell_alone_and_other_words_together(
    subject: str, body: str, told: str, untold: str
) -> None:
    fact = Telling.of(subject, body)
    assert fact.is_in(body)
    assert fact.is_in(told), fact
    assert not fact.is_in(untold), fact


def test_the_capitals_of_the_message_tell_which_first_word_is_a_name() -> None:
    body = "Ana works as a nurse in the big hospital"
    assert not Telling.of("sister", body).is_in("where is Ana?")
    assert Telling.of("sister", body, said="my sister Ana works as a nurse in the big hospital").is_in("where is Ana?")


def test_a_persons_own_name_gives_nothing_away() -> None:
    fact = Telling.of("sister", "the sister of Ben Cole is called Ana", known=["Ben Cole"])
    assert fact.is_in("Ana")
    assert not fact.is_in("Ben Cole here")


def test_of_a_summary_only_the_sentences_that_tell_it_go() -> None:
    summary = "They like tea. Their sister is called Ana.\n- Budget: 12.50 EUR.\n- Ana visits in May!\nNo more"
    assert SISTER.without(summary) == "They like tea.\n- Budget: 12.50 EUR.\nNo more"
    assert SISTER.without("Nothing of it. ") == "Nothing of it. "


def test_of_a_line_with_several_clauses_only_the_one_that_tells_it_goes() -> None:
    line = "- Likes tea; their sister is Ana.; bakes bread\uff1b rents a boat"
    assert SISTER.without(line) == "- Likes tea; bakes bread\uff1b rents a boat"


def test_what_is_told_in_two_sentences_goes_from_both() -> None:
    fact = Telling.of("hobby", "likes hiking in the mountains with friends")
    assert fact.without("They hike with friends. Mountains above all. They like tea.") == "They like tea."


def test_a_note_about_something_else_tells_it_with_its_words_and_its_subjects_not_with_a_name_alone() -> None:
    assert SISTER.is_told_by("family\nsister Ana, brother Tom")
    assert not SISTER.is_told_by("gift\nbought a book for Ana")
    jacket = Telling.of("jacket", "favourite winter jacket is red")
    assert jacket.is_told_by("clothes\nwinter jacket is red")
    assert not jacket.is_told_by("boots\nfavourite winter boots are red")
    trip = Telling.of("trip", "flies to Lisbon in May")
    locker = Telling.of("locker at work", "number of the small locker at work is 4417")
    assert locker.is_told_by("code\nlocker number is 4417")
    assert not locker.is_told_by("locker at home\nnumber of the small locker at home is 3329")
    assert not trip.is_told_by("sister\nsister lives in Lisbon")


@pytest.mark.parametrize(
    ("subject", "text", "tells"),
    [
        ("sister name", "My sister is called Ana.", "Ana"),
        ("sister name", "forget that my sister is called Ana", "Ana"),
        ("diet", "I like tea. My diet is vegan.", "vegan"),
        ("job", "I work as a falconer", "falconer"),
        ("pet's name", "my dog is called Rex", "Rex"),
        ("pregnant", "I am pregnant.", "She's pregnant"),
        ("pregnancy", "I'm pregnant.", "your pregnancy"),
        ("i am pregnant", "By the way, I am pregnant.", "- Is pregnant."),
        ("heart trouble", "I have heart trouble.", "trouble with the heart"),
    ],
)
def test_a_statement_about_the_subject_is_a_fact(subject: str, text: str, tells: str) -> None:
    [fact] = said_about(subject, text)
    assert fact.is_in(tells)


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("sister name", "what is my sister called?"),
        ("sister name", "forget my sister's name"),
        ("sister name", "I like Ana"),
        ("sister name", "I have a sister."),
        ("sister birthday", "I have a sister."),
        ("pregnant", "Am I pregnant?"),
        ("pregnant", "Forget that I am pregnant."),
        ("favourite colour of my car", "My car is a Volvo"),
        ("job", "vergiss bitte, was ich über meinen Job gesagt habe"),
        ("", "My sister is called Ana."),
        ("my", "My sister is called Ana."),
    ],
)
def test_a_question_the_wish_itself_and_anything_else_state_nothing(subject: str, text: str) -> None:
    assert said_about(subject, text) == []


def buried(fact: Telling, owner: str) -> Telling:
    """The fact as a tombstone keeps it."""
    alone, together = (frozenset(digest(owner, word) for word in words) for words in (fact.alone, fact.together))
    return Telling(alone, together, owner=owner)


def test_digests_are_those_of_one_person() -> None:
    assert buried(SISTER, "u1").is_in("It is Ana.")
    assert not buried(SISTER, "u1").is_in("It is Eva.")
    assert buried(SISTER, "u1").alone.isdisjoint(buried(SISTER, "u2").alone)


SIGNS = st.text(alphabet="aAbßøÆœ\u0131é' .12,K\u0301\u2019アナ京都안나예요oOsSİ\u017fÅ", max_size=40)


@given(SIGNS, SIGNS, SIGNS)
def test_digests_and_words_tell_the_same(subject: str, body: str, text: str) -> None:
    fact = Telling.of(subject, body)
    for said in (text, f"{text} {body}{text}"):
        assert fact.is_in(said) == buried(fact, "u1").is_in(said)


@given(st.text(max_size=400))
def test_sentences_joined_are_the_text_again(text: str) -> None:
    assert "".join(sentences(text)) == text


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=400))
def test_whatever_is_written_what_is_left_tells_nothing_more(subject: str, body: str, text: str) -> None:
    fact = Telling.of(subject, body)
    left = fact.without(text)
    assert left == text or len(left) < len(text)
    assert not fact.is_in(left)
    assert not fact.alone & {unit.spelling for unit in units(left)}
    assert fact.is_empty or fact.is_in(body)


WORDS = st.lists(
    st.sampled_from(["tea", "in", "Oslo", "sister", "Ana", "likes", "2026", "12.50", "garden", "old", "京都", "北京"]),
    min_size=1,
)


@given(WORDS, WORDS)
def test_a_body_always_gives_itself_away_also_among_other_words(body: list[str], around: list[str]) -> None:
    fact = Telling.of("subject", " ".join(body))
    assert fact.is_empty or fact.is_in(f"{' '.join(around)}. {' '.join(body)}. {' '.join(around)}")


@pytest.mark.parametrize(
    "text", ["a" * 40_000, "a." * 20_000, "1 " * 20_000, "a@" * 20_000, "' " * 20_000, "京" * 20_000]
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    SISTER.is_in(text)
    assert time.process_time() - began < 2
