"""What code never lets into a note, whatever the writer thinks, and the reason it is told (W5)."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path

from lanekeeper.memory.rules import bare


class Refusal(Enum):
    """Why a note is refused; the value is what the writer is told, so that it can leave that part out."""

    SECRET = "It holds a password, a PIN or a key. Secrets are never kept."  # noqa: S105 - a reason, no secret
    CARD = "It holds the number of a payment card. Card numbers are never kept."
    CODE = "It holds a one-time code. Codes are never kept."
    HEALTH = "It speaks of someone's health, and the person did not ask for that to be kept."
    OTHERS = "It holds details of another person. Of others at most the first name is kept."
    UNGROUNDED = "The message it names does not say so. Only what the person wrote is kept."
    FORGOTTEN = "The person had this forgotten after they wrote it. What was forgotten is not kept again."
    EMPTY = "It has no subject or no text."


_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xox[abp])[-_][A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.",
    re.IGNORECASE,
)
_IS = r"(?:is|was|are|now|ist|war|lautet|heisst|es|era|est|etait|e|sao|luidt|это)"
_WHOSE = r"(?:of|from|von|mein\w*|de|del|du|da|do|di|della|van)"
_OF = r"(?:for|of|to|fur|von|zum|zur|de|del|du|da|do|di|van|voor|der|des|pour|per|para)"
_DIGITS = r"(?<!\d)\d{3}[ -]?\d{3}(?!\d)|(?<!\d)\d{4,8}(?!\d)"
_REACHED = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w+|(?<!\d)\+?\d(?:[ ()./-]?\d){6,20}"
_NAME = r"[A-Z][\w'\u2019-]+"
# Who is called the person in a note of them.
_NOBODY_ELSE = r"(?!(?:User|Customer|Client|Person|It|That|There|He|She|What)['\u2019])"
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

# A group of digits, and what may part two groups of one number: a few signs, and none that is a letter.
_GROUP = re.compile(r"\d+")
_PARTED = re.compile(r"[\W_]{1,6}")
_CARD_DIGITS = range(13, 20)
_CARD_BEGINS = re.compile(r"4|5|6|3[0-9]|2[2-7]")


def refusal(subject: str, body: str, *, health_asked: bool = False) -> Refusal | None:
    """Why a note must not be kept, or None.

    Args:
        subject: what it is about.
        body: what it says.
        health_asked: the person asked for just this to be kept, so that their own health may be in it.
    """
    if not subject.strip() or not body.strip():
        return Refusal.EMPTY
    text = _visible(f"{subject}: {body}")
    plain, cased, known = bare(text), _without_accents(text), _patterns()
    checks = (
        (Refusal.CARD, lambda: holds_card_number(text)),
        (Refusal.CODE, lambda: known["code"].search(plain)),
        (Refusal.SECRET, lambda: _KEY.search(text) or known["secret"].search(plain)),
        (Refusal.OTHERS, lambda: known["others"].search(plain) or known["named"].search(cased)),
        (Refusal.HEALTH, lambda: not health_asked and known["health"].search(plain)),
    )
    return next((why for why, refused in checks if refused()), None)


def holds_card_number(text: str) -> bool:
    """Whether some digits of a text pass the check that card numbers pass: 13 to 19, as one group or as several.

    Digits of any script and width count, and groups may be parted by a few signs of any kind.
    """
    plain = _visible(text)
    for groups in _runs(plain):
        for first in range(len(groups)):
            digits = ""
            for group in groups[first:]:
                digits += group
                if len(digits) >= _CARD_DIGITS.stop:
                    break
                if len(digits) in _CARD_DIGITS and _CARD_BEGINS.match(digits) and _passes_luhn(digits):
                    return True
    return False


def _runs(text: str) -> Iterator[list[str]]:
    """Groups of digits that stand close together."""
    run: list[str] = []
    groups = list(_GROUP.finditer(text))
    for group, following in pairwise([*groups, None]):
        assert group is not None  # only the last of all is None
        run.append(group.group())
        if following is None or not _PARTED.fullmatch(text, group.end(), following.start()):
            yield run
            run = []


def _visible(text: str) -> str:
    """A text as a reader sees it: one width for all signs, ordinary digits, and nothing that has no width."""
    shown = unicodedata.normalize("NFKC", text)
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else sign
        for sign in shown
        if unicodedata.category(sign) not in ("Cf", "Cc") or sign.isspace()
    )


def _without_accents(text: str) -> str:
    """A text without accents whose capitals are left: they tell names from other words."""
    apart = unicodedata.normalize("NFD", text.replace("ß", "ss"))
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not "\u0300" <= sign <= "\u036f"))


def _passes_luhn(number: str) -> bool:
    digits = [int(digit) for digit in number]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    words: dict[str, dict[str, str]] = tomllib.loads(
        Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8")
    )
    secret, secret_wide = _ways(words["secret"])
    code, code_wide = _ways(words["code"])
    health, health_wide = _ways(words["health"])
    relation, relation_wide = _ways(words["relation"])
    private, private_wide = _ways(words["private"])
    named, _ = _ways(words["named"])
    any_code, any_relation = f"(?:{code}|{code_wide})", f"(?:{relation}(?:['\u2019]?s)?|{relation_wide})"
    any_private = f"(?:{_REACHED}|{private}|{private_wide})"
    return {
        "secret": re.compile(
            rf"{secret}(?:\s+{_OF}\s+[\w' -]{{1,40}}?)?\s*(?:\b{_IS}\b|[:=])\s*\S+|{secret}\D{{0,12}}\d{{4,8}}(?!\d)"
            rf"|(?<!\S)(?=\S{{0,40}}\d)\S{{1,60}}\s+{_IS}\s+(?:\w+\s+){{0,3}}{secret}|{secret_wide}.{{0,8}}[!-~]{{3,}}"
        ),
        "code": re.compile(rf"{any_code}\D{{0,30}}(?:{_DIGITS})|(?:{_DIGITS})\D{{0,20}}{any_code}"),
        "health": re.compile(f"{health}|{health_wide}"),
        "others": re.compile(
            rf"{any_relation}.{{0,60}}?{any_private}|{any_private}.{{0,20}}\b{_WHOSE}\b.{{0,20}}{relation}", re.DOTALL
        ),
        "named": re.compile(
            rf"(?i:{relation})(?:['\u2019]s name)?,?\s+(?:(?i:{named})\s+)*{_NAME} "
            rf"(?:(?:van|von|de|der|da|di) )*{_NAME}"
            rf"|\b{_NOBODY_ELSE}{_NAME}(?<=['\u2019]s) (?:\w+ ){{0,2}}(?i:{private})"
        ),
    }


def _ways(by_language: Mapping[str, str]) -> tuple[str, str]:
    """The words of all languages as two patterns: of scripts with blanks between words, and of those without."""
    words = sorted({word for words in by_language.values() for word in words.split()}, key=len, reverse=True)
    apart = "|".join(_way(word) for word in words if not _WIDE.search(word))
    wide = "|".join(re.escape(bare(word)) for word in words if _WIDE.search(word))
    return rf"(?<!\w)(?:{apart})(?!\w)", f"(?:{wide or '(?!)'})"


def _way(word: str) -> str:
    return re.escape(word).replace("_", "[ -]?").replace(r"\*", r"\w*").replace("'", "['\u2019]?")
