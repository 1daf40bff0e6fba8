"""What never becomes a note, and what is not mistaken for it."""

import pytest

from lanekeeper.memory.refusals import Refusal, holds_card_number, refusal


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("The password is hunter2", Refusal.SECRET),
        ("Wi-Fi password for home: tulip-77", Refusal.SECRET),
        ("PIN code is 4921", Refusal.SECRET),
        ("Passwort ist geheim1", Refusal.SECRET),
        ("uses sk-abcdefghijklmnop1234", Refusal.SECRET),
        ("密码是 hunter2", Refusal.SECRET),
        ("pays with 4111 1111 1111 1111", Refusal.CARD),
        ("pays with 378282246310005", Refusal.CARD),
        ("the verification code is 482913", Refusal.CODE),
        ("482 913 was the login code", Refusal.CODE),
        ("OTP 4829", Refusal.CODE),
        ("was diagnosed with diabetes", Refusal.HEALTH),
        ("is pregnant", Refusal.HEALTH),
        ("My sister's phone is 0151 2345678", Refusal.OTHERS),
        ("boss can be reached at a.b@example.com", Refusal.OTHERS),
        ("my wife's birthday is 3 May", Refusal.OTHERS),
        ("my friend is called Ana Lima", Refusal.OTHERS),
        ("   ", Refusal.EMPTY),
    ],
)
def test_what_must_not_be_kept_is_refused_with_the_reason(body: str, why: Refusal) -> None:
    assert refusal("about", body) is why
    assert why.value.endswith(".")


@pytest.mark.parametrize(
    "body",
    [
        "forgets passwords easily",
        "has two coffees a day",
        "order 4111 1111 1111 1112 was late",
        "born in 1987 and living in Oslo",
        "my sister is called Ana",
        "my son likes dinosaurs",
        "codes in Python since 2019",
        "flight number 482913",
        "phone number is 0151 2345678",
    ],
)
def test_what_only_looks_like_it_is_kept(body: str) -> None:
    assert refusal("about", body) is None


def test_health_is_kept_when_the_person_asked_for_it() -> None:
    assert refusal("allergy", "is allergic to nuts", health_asked=True) is None
    assert refusal("doctor", "my doctor's phone is 0151 2345678", health_asked=True) is Refusal.OTHERS


def test_zeros_and_long_numbers_are_no_cards() -> None:
    assert not holds_card_number("0000 0000 0000 0000")
    assert not holds_card_number("4111111111111111" * 2)
    assert holds_card_number("4111-1111-1111-1111.")
