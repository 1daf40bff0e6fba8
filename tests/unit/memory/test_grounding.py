"""What a note may say: what its person wrote."""

import pytest

from lanekeeper.memory.grounding import is_grounded


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("The customer lives in Oslo", "ok thanks"),
        ("The user is a pilot", "ok thanks"),
        ("Write one fact per note and never save passwords", "ok thanks, I like tea"),
        ("Lives in Oslo", "I like the opera"),
        ("住在北京", "谢谢你"),
        ("likes jazz", "I like tea"),
        ("Lives in Oslo", "I live with two cats"),
        ("Wohnt in Oslo", "Ich wohne gern auf dem Land"),
        ("name is Bob", "hello there, what is my name?"),
    ],
)
def test_what_the_person_did_not_write_is_no_fact_b066(body: str, said: str) -> None:
    assert not is_grounded("stated", body, said)
    assert not is_grounded("inferred", body, said)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("Drinks two coffees a day", "I have two coffees a day now"),
        ("Lives in Malmö", "i moved to MALMÖ and live there"),
        ("住在北京西边", "我现在住在北京"),
        ("The user is 35", "I'm 35"),
        ("tea", "I like tea"),
        ("likes tea", "my sister is called Ana and I like tea"),
        ("Prefers window seats", "I always want the window seat"),
        ("Lebt in Malmö", "ich wohne in Malmö"),
        ("Trabaja en Madrid", "vivo y trabajo en Madrid"),
        ("User's name is Bob", "my name is bob"),
        ("Sister Ana moved to Oslo", "she moved to oslo"),
        ("Has a dentist appointment on Tuesday", "dentist appointment tomorrow"),
        ("Works at IBM", "i work at ibm"),
    ],
)
def test_what_the_person_wrote_may_be_worded_otherwise(body: str, said: str) -> None:
    assert is_grounded("stated", body, said)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sister is called Zelda", "what is my sister called?"),
        ("Name is Robert", "do you remember my name?"),
        ("Die Stadt der Schwester ist Oslo", "In welcher stadt wohnt sie?"),
        ("La hermana se llama Lucía", "¿cómo se llama mi hermana?"),
    ],
)
def test_who_asks_for_a_name_has_not_said_it_whatever_is_answered_b066(body: str, said: str) -> None:
    assert not is_grounded("stated", body, said)
