"""Secrets that no reply may hold, whoever wrote them first: keys and one-time codes. Card numbers are in ``cards``."""

import re

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
_OPEN_CODE = re.compile(
    rf"{_NUMBER}[\"'”“»*`)]*\s+(?:{_IS}\s+(?:\S+\s+){{0,4}})?\Z|(?<![\d.,])\d{{3}}[ -]\Z", re.IGNORECASE
)


def offence(text: str, begin: int) -> bool:
    """Whether a text that ends with a whole word holds a secret that ends behind ``begin``."""
    return _SIGN.search(text) is not None and (
        any(key.end() > begin and _is_key(key.group()) for key in _KEYS.finditer(text))
        or any(code.end() > begin for code in _CODES.finditer(text))
    )


def undecided(text: str) -> int:
    """Where the beginning of something starts that could still become a secret; the length of the text if nowhere."""
    at = len(text)
    if not _SIGN.search(text):
        return at
    for opened in (_OPEN_CODE, _OPEN_KEY):
        if found := opened.search(text):
            at = min(at, found.start())
    return at


def _is_key(found: str) -> bool:
    # A row of the same few characters stands for a key in an example.
    return found.startswith("-----") or len(set(found)) >= _DISTINCT_CHARS
