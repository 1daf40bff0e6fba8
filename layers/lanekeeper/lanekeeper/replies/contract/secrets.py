"""Secrets that no reply may hold, whoever wrote them first: card numbers, keys, one-time codes."""

import re
import unicodedata

_RUN = re.compile(r"(?<!\d)\d(?:[ \u00a0\u2000-\u200b\u2010-\u2015\u202f.\n-]?\d){12,40}")
_OPEN_RUN = re.compile(r"\d[\d \u00a0\u2000-\u200b\u2010-\u2015\u202f\n-]*\Z")
# How cards are written, in digits a group.
_CARD_GROUPS = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 5), (4, 4, 4, 4, 3), (8, 8)})
_CARD_DIGITS = range(13, 20)
# The longest beginning of a card number, with its blanks, that is not one yet.
_OPEN_CHARS = 2 * _CARD_DIGITS.stop

_KEYS = re.compile(
    r"(?<![\w-])(?:(?:sk|pk|rk|lk)[-_](?:[a-z]{2,8}[-_])*(?=[\w-]*\d)[\w-]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_\w{30,}"
    r"|github_pat_\w{20,}|glpat-[\w-]{20,}|hf_\w{30,}|xox[abeprs]-[\w-]{10,}|AIza[\w-]{35}|whsec_\w{20,}"
    r"|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,})"
    r"|-----BEGIN (?:[A-Z]+ )?PRIVATE"
)
# Without one of these there is nothing to look for.
_SIGN = re.compile(r"\d|-----")
_OPEN_KEY = re.compile(r"-----BEGIN [A-Z ]*\Z")
_DISTINCT_CHARS = 8

_CODE_NAME = (
    r"(?:(?:one[- ]time|verification|security|authentication|log-?in|sign-in|2fa|two-factor|sms) ?-?"
    r"(?:codes?|pins?|passcodes?|passwords?)"
    r"|otp|(?:bestätigungs|sicherheits|einmal|verifizierungs|anmelde)-?(?:code|passwort|kennwort|pin)"
    r"|código de (?:verificación|verificação|seguridad|segurança|un solo uso|uso único)"
    r"|code (?:de (?:vérification|sécurité)|à usage unique)|codice (?:di (?:verifica|sicurezza)|monouso))"
)
_IS = r"(?:is|was|ist|war|lautet|es|est|è|é)"
_NUMBER = r"(?<![\d.,])(?:\d{3}[ -]\d{3}|\d{4,8})(?![\d]|[.,]\d)"
_QUOTES = r"[\s:=\"'“„«*`(]*"
_CODES = re.compile(
    rf"\b{_CODE_NAME}{_QUOTES}(?:{_IS}\b)?{_QUOTES}{_NUMBER}"
    rf"|{_NUMBER}[\"'”“»*`)]*\s+{_IS}\s+(?:\S+\s+){{0,3}}{_CODE_NAME}\b",
    re.IGNORECASE,
)
_OPEN_CODE = re.compile(rf"{_NUMBER}[\"'”“»*`)]*\s+(?:{_IS}\s+(?:\S+\s+){{0,4}})?\Z", re.IGNORECASE)


def offence(text: str, begin: int) -> bool:
    """Whether a text that ends with a whole word holds a secret that ends behind ``begin``."""
    return _SIGN.search(text) is not None and (
        any(run.end() > begin and _holds_card(run.group()) for run in _RUN.finditer(text))
        or any(key.end() > begin and _is_key(key.group()) for key in _KEYS.finditer(text))
        or any(code.end() > begin for code in _CODES.finditer(text))
    )


def undecided(text: str) -> int:
    """Where the beginning of something starts that could still become a secret; the length of the text if nowhere."""
    at = len(text)
    if not _SIGN.search(text):
        return at
    if run := _OPEN_RUN.search(text):
        at = max(run.start(), len(text) - _OPEN_CHARS)
    for opened in (_OPEN_CODE, _OPEN_KEY):
        if found := opened.search(text):
            at = min(at, found.start())
    return at


def _holds_card(run: str) -> bool:
    groups = re.findall(r"\d+", run)
    return any(
        _is_card(groups[first:last]) for first in range(len(groups)) for last in range(first + 1, len(groups) + 1)
    )


def _is_card(groups: list[str]) -> bool:
    lengths = tuple(map(len, groups))
    if sum(lengths) not in _CARD_DIGITS:
        return False
    if len(groups) > 1 and lengths not in _CARD_GROUPS and set(lengths) != {1}:
        return False
    digits = [unicodedata.decimal(digit) for digit in "".join(groups)]
    if digits[0] not in {3, 4, 5, 6} and not (digits[0] == 2 and 2 <= digits[1] <= 7):
        return False
    return _passes_luhn(digits)


def _passes_luhn(digits: list[int]) -> bool:
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_key(found: str) -> bool:
    # A row of the same few characters stands for a key in an example.
    return found.startswith("-----") or len(set(found)) >= _DISTINCT_CHARS
