"""What a token must say before anyone is believed. Pure: no keys, no clock, no network."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeGuard
from zoneinfo import ZoneInfo

ALGORITHMS = ("RS256", "ES256")

# The groups that this service knows: who works for it, and who runs it.
ROLES = frozenset({"admin", "staff"})

# Marks of an ID token. It tells a page who signed in; it is no key to an API, even when its audience would fit.
_ID_TOKEN_CLAIMS = ("nonce", "at_hash", "c_hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """Whose tokens count, and for whom they must have been made.

    Attributes:
        url: the ``iss`` claim, to the letter but for a slash at its end.
        kind: ``cognito`` = access tokens that name their client in ``client_id`` and carry no audience;
            ``oidc`` = tokens whose ``aud`` names this API.
        clients: the client ids (cognito) or audiences (oidc) that count. Empty: no token does.
        groups_claim: the one claim that lists a person's groups.
    """

    url: str
    kind: Literal["cognito", "oidc"]
    clients: frozenset[str]
    groups_claim: str = "cognito:groups"


@dataclass(frozen=True, slots=True)
class Person:
    """The signed-in person. ``id`` is the token's ``sub``; nothing a client sends can change it."""

    id: str
    name: str | None = None
    groups: frozenset[str] = frozenset()
    timezone: str | None = None

    @property
    def roles(self) -> list[str]:
        """Which of the groups mean something here, in a fixed order."""
        return sorted(self.groups & ROLES)


class TokenRefusedError(Exception):
    """The token proves nothing. The text says why, for the log; the person is only told to sign in again."""


def person_of(claims: Mapping[str, Any], issuer: Issuer, now: datetime, skew_s: float) -> Person:
    """The person whom verified claims speak of.

    Args:
        claims: the payload of a token whose signature was checked.
        issuer: whom to believe.
        now: the present moment.
        skew_s: by how many seconds the issuer's clock may be ahead of ours (``nbf``). ``exp`` gets no grace.

    Raises:
        TokenRefusedError: wrong issuer, expired, not for this API, an ID token, or no usable ``sub``.
    """
    if str(claims.get("iss")).removesuffix("/") != issuer.url.removesuffix("/"):
        raise TokenRefusedError("another issuer")
    _check_times(claims, now.timestamp(), skew_s)
    _check_use(claims)
    _check_audience(claims, issuer)
    sub = claims.get("sub")
    if not _is_plain(sub, 255):
        raise TokenRefusedError("no usable subject")
    name = claims.get("name")
    groups = claims.get(issuer.groups_claim)
    return Person(
        id=sub,
        name=name if _is_plain(name, 200) else None,
        groups=frozenset(g for g in groups if isinstance(g, str)) if isinstance(groups, list) else frozenset(),
        timezone=known_timezone(claims.get("zoneinfo")),
    )


def known_timezone(name: object) -> str | None:
    """``name`` when it is an IANA time zone such as ``Europe/Berlin``, else None."""
    # Every IANA name has a capital; "localtime" and "posixrules" are files of the machine, not zones.
    if not isinstance(name, str) or name.islower():
        return None
    try:
        return ZoneInfo(name).key
    except (ValueError, LookupError, OSError):
        return None


def bearer(authorization: str | None, max_chars: int) -> str:
    """The token of an ``Authorization: Bearer ...`` header.

    Raises:
        TokenRefusedError: no such header, another scheme, or longer than any real token.
    """
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise TokenRefusedError("no bearer token")
    if len(token) > max_chars or not token.isascii():
        raise TokenRefusedError("not a token")
    return token


def _check_times(claims: Mapping[str, Any], now: float, skew_s: float) -> None:
    expires = claims.get("exp")
    if not _is_number(expires) or not now < expires:
        raise TokenRefusedError("expired")
    begins = claims.get("nbf", 0)
    if not _is_number(begins) or not begins <= now + skew_s:
        raise TokenRefusedError("not valid yet")


def _check_use(claims: Mapping[str, Any]) -> None:
    if claims.get("token_use", "access") != "access" or claims.get("typ") == "ID":
        raise TokenRefusedError("not an access token")
    if any(claim in claims for claim in _ID_TOKEN_CLAIMS):
        raise TokenRefusedError("an ID token")


def _check_audience(claims: Mapping[str, Any], issuer: Issuer) -> None:
    if issuer.kind == "cognito":
        if claims.get("token_use") != "access":
            raise TokenRefusedError("not an access token")
        named = [claims.get("client_id")]
    else:
        audience = claims.get("aud")
        named = audience if isinstance(audience, list) else [audience]
    if not any(isinstance(one, str) and one in issuer.clients for one in named):
        raise TokenRefusedError("made for someone else")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_plain(value: object, max_chars: int) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= max_chars and value.isprintable()
