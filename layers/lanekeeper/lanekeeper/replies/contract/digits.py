"""What numbers look like: what sets them apart, and which rows of digits are a card's."""

import html
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from lanekeeper.replies.contract.breaks import BREAK, MARK

# A card number's digits, and how they are written, in digits a group. All digits one by one is another way.
CARD_DIGITS = range(13, 20)
_GROUPS = ((4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 5), (4, 4, 4, 4, 3), (8, 8))
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)

_DIGITS = r"\d²³¹⁰⁴-⁹₀-₉⓪①-⑨"
DIGIT = re.compile(f"[{_DIGITS}]")
_NAMED = r"&#(?:[xX][0-9a-fA-F]{1,6}|[0-9]{1,7});"
# A break comes whole, so it is read as a whole too.
_TOKEN = re.compile(rf"[{_DIGITS}]+|{BREAK}|{_NAMED}|[^{_DIGITS}&\n]+|[&\n]")
_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
# What a reader does not see, so that digits on both sides of it stand side by side.
_BLANK_NAME = re.compile(r"&(?:nbsp|ensp|emsp|thinsp|#160|#xa0|#32|#x20);", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]{1,10}\s?/?>", re.IGNORECASE)
_MARKUP = re.compile(r"[*_~`\\]")
_UNSEEN = frozenset({"Cf", "Cc", "Mn", "Me"})
_LINES = re.compile(r"[\n\r\x0b\x0c\x85\u2028\u2029]+")
# These also stand between numbers that are none of one another's business.
_WIDE = frozenset("|,;\n\t")
_ROW_NUMBERS = 3


class Token(NamedTuple):
    """A run of digits, plain ones in place of all others, or what stands between two of them."""

    start: int
    end: int
    text: str
    is_digits: bool


def tokens(text: str, begin: int) -> Iterator[Token]:
    """A text in tokens, from a place on. Characters that are given by their numbers are read as what they show."""
    for found in _TOKEN.finditer(text, begin):
        token = found.group()
        seen = html.unescape(token) if token.startswith("&#") else token
        if is_digits := DIGIT.match(seen) is not None:
            seen = seen if seen.isascii() else "".join(str(unicodedata.digit(digit)) for digit in seen)
        yield Token(found.start(), found.end(), seen, is_digits)


def has_letters(gap: str) -> bool:
    """Whether words stand between two numbers, names of tags and blanks aside."""
    if not _LETTER.search(gap):
        return False
    return _LETTER.search(_TAG.sub("", _BLANK_NAME.sub(" ", gap.replace(MARK, "")))) is not None


def plain_gap(gap: str) -> str:
    """What stands between two numbers, in one form: nothing where a reader sees nothing."""
    if MARK in gap:
        return MARK
    seen = _MARKUP.sub("", _TAG.sub("", _BLANK_NAME.sub(" ", gap)))
    seen = _LINES.sub("\n", seen)
    seen = "".join(char for char in seen if char in "\n\t" or unicodedata.category(char) not in _UNSEEN)
    if len(seen) == 1:
        if seen in _WIDE:
            return seen
        return " " if seen.isspace() else "-" if unicodedata.category(seen) == "Pd" else seen
    if not seen:
        return ""
    core = "".join(char for char in seen if char == "\n" or not char.isspace())
    if not core:
        return "  "
    return core if len(core) > 1 or core in _WIDE else f" {core} "


def wide(gaps: Collection[str]) -> set[str]:
    """The gaps that also stand in series and tables of numbers."""
    return {gap for gap in gaps if gap != MARK and (len(gap) > 1 or gap in _WIDE)}


def goes_on(gap: str, gaps: Collection[str]) -> bool:
    """Whether a number behind such a gap belongs to those with such gaps between them."""
    return gap in gaps or gap.strip("|") == "\n"


def is_row_of_numbers(line: str) -> bool:
    """Whether a line is a row of a table whose numbers are no card."""
    numbers = _NUMBER.findall(line) if "|" in line else []
    return len(numbers) >= _ROW_NUMBERS and not any(
        is_grouped([len(number) for number in numbers[first:last]]) and is_card("".join(numbers[first:last]))
        for first in range(len(numbers))
        for last in range(first + 1, min(len(numbers), first + CARD_DIGITS.stop) + 1)
    )


def is_grouped(lengths: Sequence[int]) -> bool:
    """Whether a card is written in groups of so many digits."""
    return len(lengths) == 1 or set(lengths) == {1} or tuple(lengths) in _GROUPS


def begins_groups(lengths: Sequence[int], *, whole: bool) -> bool:
    """Whether a card may begin with groups of so many digits. The last of them may grow, unless it is ``whole``."""
    known = list(lengths if whole else lengths[:-1])
    return set(known) <= {1} or any(list(shape[: len(known)]) == known for shape in _GROUPS)


def begins_card(digits: str) -> bool:
    """Whether a card number begins with these digits."""
    return digits[0] in "3456" or (digits[0] == "2" and digits[1:2] <= "7" and not "0" <= digits[1:2] < "2")


def is_card(digits: str) -> bool:
    """Whether these digits are a card number."""
    return len(digits) in CARD_DIGITS and begins_card(digits) and _passes_luhn(digits)


def _passes_luhn(digits: str) -> bool:
    doubled = sum(_DOUBLED[int(digit)] for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + doubled) % 10 == 0
