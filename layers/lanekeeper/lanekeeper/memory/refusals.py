"""What code never lets into a note, whatever the writer thinks, and the reason it is told (W5)."""

import re
from enum import Enum


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


_SECRET = re.compile(
    r"\b(?:pass\s?(?:word|phrase|code)|pass?wort|kennwort|contraseña|mot de passe|parola|senha|wachtwoord|пароль|"
    r"pin(?:\s?(?:code|number))?|secret key|api[ _-]?key|access token|private key|seed phrase)\b"
    r"(?:\s+(?:for|of|to|für|de|del|du)\s+[\w' ]{1,40}?)?\s*(?:\b(?:is|ist|es|est|è|é|was|now)\b|[:=])\s*\S+"
    r"|密码|暗証番号|パスワード|비밀번호"
    r"|\b(?:sk|pk|ghp|gho|xox[abp])[-_][A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<!\d)\d(?:[ .\-\u00a0]?\d){12,18}(?!\d)")
_CODE_WORD = (
    r"(?:one[- ]time|otp|2fa|mfa|verification|verify|confirmation|security|login|sign[- ]?in|auth\w*|sms|bestätigungs)"
)
_DIGITS = r"(?<!\d)\d{3}[ -]?\d{3}(?!\d)|(?<!\d)\d{4,8}(?!\d)"
_CODE = re.compile(
    rf"\b{_CODE_WORD}[- ]?(?:code|pin|number|passcode)?\b\D{{0,30}}(?:{_DIGITS})"
    rf"|(?:{_DIGITS})\D{{0,20}}\b{_CODE_WORD}[- ]?(?:code|pin|passcode)\b|\b(?:tan|otp)\b\D{{0,12}}(?:{_DIGITS})",
    re.IGNORECASE,
)
_HEALTH = re.compile(
    r"\b(?:diagnos\w+|depress(?:ion|ed|ive)|anxiety disorder|bipolar|adhd|autis\w+|diabet\w+|cancer|tumou?r|"
    r"chemo\w*|hiv|aids|epilep\w+|asthma\w*|pregnan\w+|miscarr\w+|abortion|antidepress\w+|insulin|medication|"
    r"prescri(?:bed|ption)\w*|therap(?:y|ist)|psychiatr\w+|blood pressure|heart (?:attack|disease|condition)|stroke|"
    r"surgery|disab(?:led|ility)|chronic(?:ally)? \w+|allerg(?:y|ic|ies)|migraines?|eating disorder|anorexi\w+|"
    r"addict(?:ed|ion)|alcoholic|dementia|alzheimer\w*|depressionen|schwanger\w*|krebs|embarazad\w+|enceinte)\b",
    re.IGNORECASE,
)
_OTHER = (
    r"(?:sister|brother|mother|mom|mum|father|dad|wife|husband|partner|girlfriend|boyfriend|son|daughter|child|kid|"
    r"friend|boss|manager|colleague|coworker|neighbou?r|cousin|aunt|uncle|niece|nephew|grand(?:mother|father|ma|pa|son|"
    r"daughter)|roommate|flatmate|doctor|teacher|landlord|ex)"
)
_PRIVATE = r"(?:phone|mobile|email|e-mail|address|birthday|born|salary|earns|passport|lives at|surname|last name)"
_REACHED = r"[\w.+-]+@[\w-]+\.\w+|\+?\d(?:[ ()./-]?\d){6,}"
_DETAIL = re.compile(
    rf"\b{_OTHER}(?:['\u2019]?s)?\b.{{0,60}}?(?:{_REACHED}|\b{_PRIVATE}\b)"
    rf"|\b{_PRIVATE}\b.{{0,20}}\b(?:of|from)\b.{{0,20}}\b{_OTHER}\b",
    re.IGNORECASE | re.DOTALL,
)
_NAME = r"[A-ZÀ-Þ][\w'\u2019-]+"
_FULL_NAME = re.compile(
    rf"\b(?i:{_OTHER})(?:['\u2019]s name)?,?\s+(?:(?:is|called|named)\s+)*{_NAME} (?:(?:van|von|de|der|da|di) )*{_NAME}"
)


def refusal(subject: str, body: str, *, health_asked: bool = False) -> Refusal | None:
    """Why a note must not be kept, or None.

    Args:
        subject: what it is about.
        body: what it says.
        health_asked: the person asked for just this to be kept, so that their own health may be in it.
    """
    text = f"{subject}: {body}"
    if not subject.strip() or not body.strip():
        return Refusal.EMPTY
    checks = (
        (Refusal.CARD, holds_card_number(text)),
        (Refusal.SECRET, bool(_SECRET.search(text))),
        (Refusal.CODE, bool(_CODE.search(text))),
        (Refusal.OTHERS, bool(_DETAIL.search(text) or _FULL_NAME.search(text))),
        (Refusal.HEALTH, not health_asked and bool(_HEALTH.search(text))),
    )
    return next((why for why, refused in checks if refused), None)


def holds_card_number(text: str) -> bool:
    """Whether 13 to 19 digits in a row, with or without blanks or dashes, pass the check that card numbers pass."""
    return any(_passes_luhn([int(sign) for sign in run if sign.isdigit()]) for run in _CARD.findall(text))


def _passes_luhn(digits: list[int]) -> bool:
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
