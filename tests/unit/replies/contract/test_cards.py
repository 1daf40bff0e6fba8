"""No card number leaves, however its digits are set apart; numbers that are none do (E5)."""

import html
import unicodedata
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lanekeeper.replies.contract import BREAK, MARK
from tests.unit.replies.contract.speaking import cut, speak

VISA = "4111111111111111"
AMEX = "378282246310005"
SEPARATORS = (
    *(" ", "  ", "   ", "-", " - ", ".", "/", " / ", "_", "\\_", ", ", "; ", " · ", ":"),
    *("\u00a0", "\u00a0\u00a0", "\u2009", "\u200b", "\u2060", "\u00ad", "\u2011", "&nbsp;", "&#8203;", "&#x20;", "\t"),
    *("** **", "`` ``", "* *", "__ __", "~~ ~~", "</b> <b>", "<br>", "*", "**", ") ("),
    *(" | ", "|", "  |  ", "\n", "\n\n", "\n- ", "\n* ", " |\n| ", "  \n", "\r\n", f"\n{MARK}\n", f"\n\n{MARK}\n\n"),
)
WRITTEN = {
    "groups": "0123456789",
    "digits": "0123456789",
    "full width": [chr(0xFF10 + digit) for digit in range(10)],
    "raised": "⁰¹²³⁴⁵⁶⁷⁸⁹",
    "circled": "⓪①②③④⑤⑥⑦⑧⑨",
    "by number": [f"&#{48 + digit};" for digit in range(10)],
}


def is_sound(digits: str) -> bool:
    """Luhn's check, written as its rule is told."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number if number < 10 else number - 9
    return total % 10 == 0


def with_check(digits: str) -> str:
    return next(digits + last for last in "0123456789" if is_sound(digits + last))


CARDS = st.one_of(
    st.tuples(
        st.sampled_from(["4", "51", "55", "2221", "2720", "6011", "65", "3530", "62"]),
        st.text("0123456789", min_size=15),
    ).map(lambda made: with_check((made[0] + made[1])[:15])),
    st.tuples(st.sampled_from(["34", "37"]), st.text("0123456789", min_size=12)).map(
        lambda made: with_check((made[0] + made[1])[:14])
    ),
)


def groups_of(card: str) -> list[str]:
    ends = (4, 10, 15) if len(card) == 15 else (4, 8, 12, 16)
    return [card[begin:end] for begin, end in zip((0, *ends), ends, strict=False)]


def digits_in(text: str) -> str:
    return "".join(str(unicodedata.digit(char)) for char in html.unescape(text) if char.isdigit())


@given(
    card=CARDS,
    separator=st.sampled_from(SEPARATORS),
    how=st.sampled_from([*WRITTEN]),
    around=st.sampled_from(
        [("", ""), ("Card ", " ok"), ("Card: **", "**."), ("| Visa | ", " |\n"), ("In 2026:\n\n", "\n\n12/27")]
    ),
    places=st.lists(st.integers(0, 120), max_size=8),
)
def test_no_digit_of_a_card_number_leaves_however_it_is_set_apart(
    card: str, separator: str, how: str, around: tuple[str, str], places: list[int]
) -> None:
    groups = card if how == "digits" else groups_of(card)
    text = separator.join("".join(WRITTEN[how][int(digit)] for digit in group) for group in groups).join(around)
    out, fault = speak(cut(text, places), messages=40)
    assert fault == "secret", text
    assert digits_in(out) == digits_in(around[0])
    assert speak(list(text), messages=40) == (out, fault)


@given(card=CARDS, place=st.integers(1, 15), before=st.sampled_from(["", "Your card: ", "**", "- In 2026: "]))
def test_a_card_number_that_is_split_anywhere_by_a_break_does_not_leave(card: str, place: int, before: str) -> None:
    assume(place < len(card))
    out, fault = speak(f"{before}{card[:place]}\n{MARK}\n{card[place:]}")
    assert fault == "secret"
    assert digits_in(out) == digits_in(before)
    assert not out.endswith(BREAK)


@given(card=CARDS, place=st.integers(1, 15))
def test_a_card_number_whose_beginning_has_gone_out_is_not_brought_to_its_end(card: str, place: int) -> None:
    assume(place < len(card))
    assert speak(f"{card[place:]} ok", said=f"It is {card[:place]}") == ("", "secret")


@pytest.mark.parametrize("card", [VISA, AMEX])
@pytest.mark.parametrize(
    "text",
    [
        "| a | b | c | d |\n|---|---|---|---|\n| {} |\n",
        "| Number | {} |",
        "| Number | {} | 12/27 | 123 |\n| Name | Ana |",
        "| Number | {} |\n| Expires | 12/27 |\n",
    ],
)
def test_a_table_that_holds_one_card_does_not_leave(text: str, card: str) -> None:
    whole = text.format(" | ".join(groups_of(card)))
    assert speak(whole).fault == "secret"
    assert digits_in(speak(whole).text) == ""


NUMBERS = st.one_of(
    st.integers(0, 99_999).map(str),
    st.integers(1000, 9999).map(str),
    st.decimals(0, 9999, places=2).map(str),
    st.dates(date(1990, 1, 1), date(2040, 1, 1)).map(str),
    st.integers(1000, 999_999).map("{:,}".format),
    st.integers(1000, 9999).map("{} €".format),
)


def is_no_card(line: str) -> bool:
    digits = digits_in(line)
    return not any(is_sound(digits[begin : begin + 16]) for begin in range(max(1, len(digits) - 15)))


@given(
    rows=st.lists(st.lists(NUMBERS, min_size=4, max_size=6).map(tuple), min_size=2, max_size=5),
    named=st.booleans(),
    headed=st.booleans(),
    places=st.lists(st.integers(0, 200), max_size=6),
)
def test_a_table_of_numbers_leaves(rows: list[tuple[str, ...]], named: bool, headed: bool, places: list[int]) -> None:
    """One row may look like a card by chance. It takes two in a row to be taken for two cards."""
    lines = ["| " + " | ".join((f"Row {chr(65 + at)}", *row) if named else row) + " |" for at, row in enumerate(rows)]
    assume(all(is_no_card(a) or is_no_card(b) for a, b in pairwise(lines)))
    head = "| a | b | c | d |\n|---|---|---|---|\n" if headed else ""
    text = f"Here:\n\n{head}" + "\n".join(lines) + "\n\nThat is all."
    assert speak(cut(text, places), messages=20) == (text, "")


@given(
    numbers=st.lists(st.integers(1000, 9999).map(str), min_size=5, max_size=12),
    separator=st.sampled_from(["\n", "\n- ", ", ", "; ", "  ", " | ", "\t"]),
)
def test_a_series_of_numbers_leaves(numbers: list[str], separator: str) -> None:
    text = f"So: {separator.join(numbers)} and no more."
    assert speak(text) == (text, "")


DAYS = st.dates(date(1990, 1, 1), date(2040, 1, 1))
PHONES = st.tuples(
    st.sampled_from(["+34 ", "+49 ", "", "0", "+1 "]), st.integers(600, 799), st.integers(0, 999), st.integers(0, 999)
).map(lambda made: f"{made[0]}{made[1]} {made[2]:03} {made[3]:03}")


@given(
    said=st.lists(
        st.one_of(
            DAYS.map(str),
            DAYS.map(lambda day: f"{day:%d.%m.%Y}"),
            DAYS.map(lambda day: f"{day:%d/%m/%Y} {(day + timedelta(3)):%H:%M}"),
            PHONES,
            st.decimals(0, 99_999, places=2).map("{:,} EUR".format),
            st.integers(0, 59).map("{} %".format),
        ),
        min_size=1,
        max_size=6,
    ),
    separator=st.sampled_from([", ", "\n", "\n- ", " or ", "; ", " / ", f"\n{MARK}\nor "]),
)
def test_dates_prices_and_phone_numbers_leave(said: list[str], separator: str) -> None:
    text = separator.join(said)
    assert speak(text, messages=20) == (text, "")


@given(digits=st.text("0123456789", min_size=16, max_size=16), by=st.sampled_from(["", " ", "-", "** **", "  ", "/"]))
def test_an_order_number_that_is_no_card_leaves(digits: str, by: str) -> None:
    assume(not is_sound(digits))
    assume(not any(is_sound(digits[begin:end]) for begin in (0, 4) for end in (12, 16) if by))
    text = f"Order {by.join(groups_of(digits))} is on its way."
    assert speak(text) == (text, "")
    assert speak(list(text)) == (text, "")


SCRAPS = st.sampled_from(
    (
        *("4111", "1111", "1111 1111", "4", "1", "5 ", "51", "4000 ", "0002", "123", "4111 1111 1111 1111", "3782"),
        *("822463", "10005", " ".join(VISA), "&#52;", "\uff14", "4012888888881881", "word ", "a ", "EUR "),
        *("|", " | ", "\n", "|\n|", "\n| ", ", ", "  ", " ", "-", "/", ".", "**", "`", "\r", "&nbsp;", "\u200b", "<b>"),
        *(f"\n{MARK}\n", f" {MARK}\n", "| a | b |\n", "|-|-|\n"),
    )
)


@given(text=st.lists(SCRAPS, max_size=22).map("".join), places=st.lists(st.integers(0, 200), max_size=8))
def test_the_same_numbers_leave_however_the_text_is_cut_and_would_leave_again(text: str, places: list[int]) -> None:
    whole = speak(text, messages=9)
    assert speak(cut(text, places), messages=9) == whole
    assert speak(list(text), messages=9) == whole
    assert not whole.text.endswith(BREAK)
    if whole.fault != "break":
        assert speak(whole.text, messages=9) == (whole.text, "")


def test_no_series_of_numbers_keeps_a_turn_waiting() -> None:
    for text in (
        "3 " * 1900,
        "4111 | " * 500,
        "4111\n" * 700,
        "1" * 3900,
        ("4111 | " * 4 + "\n") * 120,
        "4" + "*" * 3000,
    ):
        assert speak(list(text), chars=4000).fault == ""
