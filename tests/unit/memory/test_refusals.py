"""What never becomes a note, and what is not mistaken for it."""

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanekeeper.memory import refusals
from lanekeeper.memory.refusals import Refusal, holds_card_number, refusal
from lanekeeper.memory.rules import bare

CARD = "4111111111111111"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("The password is hunter2", Refusal.SECRET),
        ("Wi-Fi password for home: tulip-77", Refusal.SECRET),
        ("hunter2 is my password", Refusal.SECRET),
        ("PIN code is 4921", Refusal.SECRET),
        ("PIN 4921", Refusal.SECRET),
        ("the door code is 4921", Refusal.SECRET),
        ("uses sk-abcdefghijklmnop1234", Refusal.SECRET),
        ("Passwort ist geheim1", Refusal.SECRET),
        ("Das WLAN-Passwort lautet tulpe77", Refusal.SECRET),
        ("La contraseña es secreto1", Refusal.SECRET),
        ("Le mot de passe est soleil9", Refusal.SECRET),
        ("Il codice segreto è 4921", Refusal.SECRET),
        ("A minha senha é segredo1", Refusal.SECRET),
        ("Het wachtwoord is tulp77", Refusal.SECRET),
        ("Пароль: hunter2", Refusal.SECRET),
        ("パスワードはhunter2です", Refusal.SECRET),
        ("暗証番号は4921", Refusal.SECRET),
        ("密码是 hunter2", Refusal.SECRET),
        ("ｐａｓｓｗｏｒｄ ｉｓ ｈｕｎｔｅｒ２", Refusal.SECRET),  # noqa: RUF001
        ("pass\u200bword is hunter2", Refusal.SECRET),
        ("pays with 4111 1111 1111 1111", Refusal.CARD),
        ("pays with 378282246310005", Refusal.CARD),
        ("the verification code is 482913", Refusal.CODE),
        ("482 913 was the login code", Refusal.CODE),
        ("OTP 4829", Refusal.CODE),
        ("Der Bestätigungscode lautet 482913", Refusal.CODE),
        ("El código de verificación es 482913", Refusal.CODE),
        ("Code de vérification : 482913", Refusal.CODE),
        ("Codice di verifica 482913", Refusal.CODE),
        ("O código de segurança é 482913", Refusal.CODE),
        ("De verificatiecode is 482913", Refusal.CODE),
        ("認証コードは482913", Refusal.CODE),
        ("验证码是482913", Refusal.CODE),
        ("was diagnosed with diabetes", Refusal.HEALTH),
        ("is pregnant", Refusal.HEALTH),
        ("Ist schwanger", Refusal.HEALTH),
        ("Hat eine Nussallergie, ist allergisch auf Nüsse", Refusal.HEALTH),
        ("Está embarazada", Refusal.HEALTH),
        ("Toma insulina", Refusal.HEALTH),
        ("Est enceinte", Refusal.HEALTH),
        ("Soffre di depressione", Refusal.HEALTH),
        ("Tem diabetes", Refusal.HEALTH),
        ("Heeft astma", Refusal.HEALTH),
        ("糖尿病です", Refusal.HEALTH),
        ("对花生过敏", Refusal.HEALTH),
        ("My sister's phone is 0151 2345678", Refusal.OTHERS),
        ("Ana's e-mail is ana@example.com", Refusal.OTHERS),
        ("boss can be reached at a.b@example.com", Refusal.OTHERS),
        ("my wife's birthday is 3 May", Refusal.OTHERS),
        ("my friend is called Ana Lima", Refusal.OTHERS),
        ("Die Telefonnummer meiner Schwester ist 0151 2345678", Refusal.OTHERS),
        ("Die Schwester heißt Ana Lima", Refusal.OTHERS),
        ("El teléfono de mi hermana es 612345678", Refusal.OTHERS),
        ("Mi hermana se llama Ana Lima", Refusal.OTHERS),
        ("L'adresse de ma sœur est rue Verte", Refusal.OTHERS),
        ("Mon frère s'appelle Luc Martin", Refusal.OTHERS),
        ("Il compleanno di mia sorella è il 3 maggio", Refusal.OTHERS),
        ("O telefone da minha irmã é 912345678", Refusal.OTHERS),
        ("Het adres van mijn zus is Dorpsstraat 1", Refusal.OTHERS),
        ("妹の電話番号は09012345678", Refusal.OTHERS),
        ("我妹妹的电话是13800138000", Refusal.OTHERS),
        ("   ", Refusal.EMPTY),
    ],
)
def test_what_must_not_be_kept_is_refused_with_the_reason_in_many_languages(body: str, why: Refusal) -> None:
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
        "The user's phone is 0151 2345678",
        "works in operations and operates a crane",
        "studies psychology",
        "has a golf handicap of 12",
        "likes the kind of phone that folds",
        "Sucht eine Wohnung in Berlin",
        "Möchte nicht per Telefon kontaktiert werden",
        "Man erreicht mich am besten per E-Mail",
        "Die Schwester heißt Ana",
        "Findet Telefonieren prima",
        "La clave es dormir bien",
        "Mi hermana se llama Ana",
        "Trabaja de operador de grúa",
        "Mon frère s'appelle Luc",
        "Vive vicino a Roma e lavora al telefono",
        "Mora com a irmã Ana",
        "Heeft een zus, Ana",
        "ガンダムが好き",
        "大丈夫、電話でいい",
        "姉はアナという",
        "经常忘记密码",
        "大家都喜欢他的电话",
        "我妹妹叫安娜",
    ],
)
def test_what_only_looks_like_it_is_kept(body: str) -> None:
    assert refusal("about", body) is None


def test_health_is_kept_when_the_person_asked_for_it() -> None:
    assert refusal("allergy", "is allergic to nuts", health_asked=True) is None
    assert refusal("doctor", "my doctor's phone is 0151 2345678", health_asked=True) is Refusal.OTHERS


@pytest.mark.parametrize(
    "written",
    [
        "4111-1111-1111-1111.",
        "4111  1111  1111  1111",
        "4111 - 1111 - 1111 - 1111",
        "4111\u00a01111\u20091111\u202f1111",
        "4111\n1111\n1111\n1111",
        "4111/1111/1111/1111",
        "4111_1111_1111_1111",
        "**4111** **1111** **1111** **1111**",
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "4111\u200b1111\u200b1111\u200b1111",
        # Full width, then Arabic-Indic.
        " ".join(["\uff14\uff11\uff11\uff11", *["\uff11" * 4] * 3]),
        " ".join(["\u0664\u0661\u0661\u0661", *["\u0661" * 4] * 3]),
        "flat 12, 4111 1111 1111 1111, expires 12/27",
        "3782 822463 10005",
    ],
)
def test_card_numbers_are_found_spaced_or_full_width_or_in_other_digits(written: str) -> None:
    assert holds_card_number(written)
    assert refusal("payment", written) is Refusal.CARD


@given(st.sampled_from(["", " ", "-", "  ", " - ", "\u00a0", "/", "\u200b"]), st.text("abc ", max_size=9))
def test_a_card_is_found_whatever_parts_its_groups_and_surrounds_it(between: str, around: str) -> None:
    groups = [CARD[place : place + 4] for place in range(0, 16, 4)]
    assert holds_card_number(f"{around} {between.join(groups)} {around}")


@pytest.mark.parametrize(
    "written",
    [
        "0000 0000 0000 0000",
        CARD * 2,
        "worked in 2019 2020 2021 2022 2023",
        "0151 2345678 and 0152 3456789",
        "order 1234567890123456",
        "12.50, 13.75, 20.00, 25.25",
        "2026-11-30 18:30:00.123456",
    ],
)
def test_other_numbers_are_no_cards(written: str) -> None:
    assert not holds_card_number(written)


@pytest.mark.parametrize(
    "piece", ["1", "1 ", "a1", "my sister ", "password ", "密码", "code of ", "A's ", "\n", "x.", "pin "]
)
def test_a_text_of_any_length_is_checked_in_time_that_grows_with_it(piece: str) -> None:
    def spent(length: int) -> float:
        text = (piece * length)[:length]
        began = time.process_time()
        refusal("about", text)
        return time.process_time() - began

    spent(100)
    # Ten times the text takes about ten times as long; a hundred times would show what goes back and forth.
    assert spent(40_000) < 60 * max(min(spent(4_000) for _ in range(3)), 0.001)


def test_the_words_are_written_as_text_is_compared() -> None:
    lists = tomllib.loads(Path(refusals.__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
    words = [word for languages in lists.values() for words in languages.values() for word in words.split()]
    assert [word for word in words if bare(word) != word] == []
