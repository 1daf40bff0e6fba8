"""Sums, worked out exactly: digits or small number words, in three languages."""

import re
from fractions import Fraction
from math import isqrt

from tests.devkit.mainline.demo.vocabulary import table, word_set
from tests.devkit.mainline.words import words

MOST_DIGITS = 60
_LONGEST = 200
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|\*\*|[-+*/^%()]")

# A sum is printed with the signs of a book, and read with either.
_PRINTED = {"*": "\N{MULTIPLICATION SIGN}", "/": "\N{DIVISION SIGN}", "-": "\N{MINUS SIGN}", "**": "^"}
_TYPED = {ord(printed): typed for typed, printed in _PRINTED.items() if typed != "**"}
_VALUES = {word: str(value) for row in table("numbers").values() for value, word in enumerate(row.split())}

_OPERATORS = table("operators")
_OPERATOR = re.compile(rf"\b(?:{'|'.join(sorted(_OPERATORS, key=len, reverse=True))})\b")
_PAIRS = (
    (re.compile(r"\b(?:add|sum|suma|addiere|sum of)\b (.+?) (?:and|to|y|und) (.+)"), r"\1 + \2"),
    (re.compile(r"\b(?:multiply|multiplica|multipliziere)\b (.+?) (?:by|with|and|por|mit|und) (.+)"), r"\1 * \2"),
    (re.compile(r"\b(?:divide|divide|teile)\b (.+?) (?:by|entre|por|durch) (.+)"), r"\1 / \2"),
    (re.compile(r"\b(?:subtract|resta|subtrahiere)\b (.+?) (?:from|de|von) (.+)"), r"\2 - \1"),
    (re.compile(r"(\d+) and (\d+)"), r"\1 + \2"),
)
_ASKING = word_set("asking_for_a_sum")
_DATE = re.compile(r"\b\d{4} - \d{1,2} - \d{1,2}\b")
_ROOT = re.compile(r"\b(?:square root|raiz cuadrada|raiz|wurzel|sqrt)\b\D{0,8}?(\d+)\b")


class _NoSumError(Exception):
    """The text is no sum that can be read whole."""


def solve(text: str) -> tuple[str, str] | None:
    """The sum in a text as it was understood, and its exact result; None when there is none.

    ``what is 12 plus 7?`` gives ``("12 + 7", "19")``. What is no finite decimal is given to ten places, after a sign
    that says so.
    """
    if len(text) > _LONGEST or not (re.search(r"\d", text) or set(words(text)) & _VALUES.keys()):
        return None
    plain = _plain(text)
    root = _ROOT.search(plain)
    if root:
        return _root(int(root.group(1)))
    for pattern, replacement in _PAIRS:
        plain, changed = pattern.subn(replacement, plain)
        if changed:
            break
    plain = _OPERATOR.sub(lambda said: f" {_OPERATORS[said.group()]} ", plain)
    tokens = _sum_in(plain)
    if tokens is None:
        return None
    try:
        value = _Reader(tokens).read()
    except (_NoSumError, ZeroDivisionError):
        return None
    return _shown_sum(tokens), _shown(value)


def _plain(text: str) -> str:
    typed = text.translate(_TYPED)
    spread = re.sub(r"([-+*/^%()=?!]|(?<!\d)[.,]|[.,](?!\d))", r" \1 ", typed)
    told = [part if not part[0].isalpha() else " ".join(words(part)) for part in spread.split()]
    return " ".join(_VALUES.get(word, word) for word in told)


def _sum_in(plain: str) -> list[str] | None:
    """The tokens of the one sum in a text, when all else around it only asks for the result."""
    if _DATE.search(plain) or not set(re.findall(r"[^\W\d_]+", plain)) <= _ASKING:
        return None
    runs = [_TOKEN.findall(run) for run in re.split(r"[^\W\d_]+|[?!=:;]| [.,] ", f" {plain} ")]
    sums = [run for run in runs if len(run) >= 3]
    return sums[0] if len(sums) == 1 else None


class _Reader:
    """Reads a sum from left to right: powers before products before sums."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, ""]
        self._at = 0

    def read(self) -> Fraction:
        value = self._sum()
        if self._tokens[self._at]:
            raise _NoSumError
        return value

    def _next(self, *wanted: str) -> str:
        token = self._tokens[self._at]
        if token and token in wanted:
            self._at += 1
            return token
        return ""

    def _sum(self) -> Fraction:
        value = self._product()
        while sign := self._next("+", "-"):
            value = value + self._product() if sign == "+" else value - self._product()
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while sign := self._next("*", "/"):
            value = value * self._signed() if sign == "*" else value / self._signed()
        return value

    def _signed(self) -> Fraction:
        return -self._signed() if self._next("-") else self._power()

    def _power(self) -> Fraction:
        value = self._atom()
        if self._next("^", "**"):
            exponent = self._signed()
            if exponent.denominator != 1 or abs(exponent) * len(str(value)) > MOST_DIGITS:
                raise _NoSumError
            value = value**exponent.numerator
        return Fraction(value) / 100 if self._next("%") else Fraction(value)

    def _atom(self) -> Fraction:
        if self._next("("):
            value = self._sum()
            if not self._next(")"):
                raise _NoSumError
            return value
        token = self._tokens[self._at]
        if not token or not token[0].isdigit():
            raise _NoSumError
        self._at += 1
        return _number(token)


def _number(token: str) -> Fraction:
    # "1,250.5" and "1.250,5" are both 1250.5, and so is "1250.5"; "1,250" is a thousand and more.
    point = max(token.rfind("."), token.rfind(","))
    if point < 0:
        return Fraction(token)
    whole, rest = re.sub(r"[.,]", "", token[:point]), token[point + 1 :]
    separators = set(re.findall(r"[.,]", token))
    if len(re.findall(r"[.,]", token)) > 1 and len(separators) == 1:
        return Fraction(whole + rest)
    if token[point] == "," and len(rest) == 3 and len(separators) == 1:
        return Fraction(whole + rest)
    return Fraction(f"{whole}.{rest}")


def _root(number: int) -> tuple[str, str] | None:
    if number > 10**MOST_DIGITS:
        return None
    root = isqrt(number)
    if root * root == number:
        return f"√{number}", str(root)
    return f"√{number}", _decimal(Fraction(isqrt(number * 10**40), 10**20), "≈ ")


def _shown(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return _decimal(value, "" if rest == 1 and value.denominator <= 10**10 else "≈ ")


def _decimal(value: Fraction, mark: str) -> str:
    scaled = round(value * 10**10)
    whole, rest = divmod(abs(scaled), 10**10)
    return f"{mark}{'-' if scaled < 0 else ''}{whole}.{rest:010d}".rstrip("0").rstrip(".")


def _shown_sum(tokens: list[str]) -> str:
    text = " ".join(_PRINTED.get(token, token) for token in tokens)
    return text.replace("( ", "(").replace(" )", ")").replace(" %", "%").replace(" ^ ", "^")
