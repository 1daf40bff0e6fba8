"""From an Authorization header to the person it proves."""

import hashlib
import json
import logging
from collections import OrderedDict
from typing import Any

import jwt

from lanekeeper import clock
from lanekeeper.errors import Problem
from lanekeeper.limits import Limits
from lanekeeper.people.keys import KeySet, KeysUnavailableError
from lanekeeper.people.rules import ALGORITHMS, Issuer, Person, TokenRefusedError, bearer, person_of
from lanekeeper.settings import Settings

logger = logging.getLogger(__name__)


class Identity:
    """Believes signed tokens of one issuer, and nothing else. There is no other way to become a person here.

    A signature that was found good is not worked out again for the same token: it stays good for as long as the
    issuer has that very key. What the token says is judged anew with every request, its expiry too.
    """

    def __init__(self, issuer: Issuer, keys: KeySet, limits: Limits) -> None:
        self._issuer = issuer
        self._keys = keys
        self._limits = limits
        # The algorithms are pinned: "none" and keyed hashes are unknown to this object.
        self._signatures = jwt.PyJWS(algorithms=list(ALGORITHMS), options={"enforce_minimum_key_length": True})
        self._verified: OrderedDict[bytes, tuple[jwt.PyJWK, str, dict[str, Any]]] = OrderedDict()

    @classmethod
    def from_settings(cls, settings: Settings, limits: Limits) -> "Identity":
        """Identity by the ``oidc_...`` settings."""
        url = settings.require("oidc_issuer", "oidc_clients").oidc_issuer
        issuer = Issuer(
            url=url,
            kind="cognito" if settings.oidc_kind == "cognito" else "oidc",
            clients=frozenset(settings.oidc_clients),
            groups_claim=settings.oidc_groups_claim,
        )
        keys_url = settings.oidc_jwks_url or f"{url}/.well-known/jwks.json"
        return cls(issuer, KeySet(limits, url=keys_url, inline=settings.oidc_jwks), limits)

    async def person(self, authorization: str | None) -> Person:
        """The person an ``Authorization: Bearer <JWT>`` header proves.

        Raises:
            Problem: 401 for every token that proves nothing, whatever the reason; 503 when the issuer's keys
                cannot be had.
        """
        try:
            claims = await self._claims(bearer(authorization, self._limits.token_chars))
            return person_of(claims, self._issuer, clock.now(), self._limits.token_skew_s)
        except (TokenRefusedError, jwt.PyJWTError, ValueError, RecursionError) as refused:
            reason = str(refused) if isinstance(refused, TokenRefusedError) else type(refused).__name__
            logger.info("token refused: %s", reason)
            raise Problem(
                401, "unauthorized", "You are not signed in, or your sign-in has expired.", "Sign in again."
            ) from None
        except KeysUnavailableError:
            raise Problem(
                503,
                "identity_unavailable",
                "Sign-in cannot be checked right now.",
                "Try again in a moment.",
                retryable=True,
            ) from None

    async def _claims(self, token: str) -> dict[str, Any]:
        """What a token says, once its signature is known to be good."""
        # Only a digest is kept: nothing here could be sent as a token.
        digest = hashlib.sha256(token.encode()).digest()
        if (seen := self._verified.get(digest)) is not None:
            key, key_id, claims = seen
            if await self._keys.key(key_id) is key:
                self._verified.move_to_end(digest)
                return claims
            # The keys were fetched anew since.
            self._verified.pop(digest, None)
        key, key_id = await self._key(token)
        claims = json.loads(self._signatures.decode_complete(token, key, list(ALGORITHMS))["payload"])
        if not isinstance(claims, dict):
            raise TokenRefusedError("no claims")
        self._verified[digest] = key, key_id, claims
        while len(self._verified) > self._limits.tokens_kept:
            self._verified.popitem(last=False)
        return claims

    async def _key(self, token: str) -> tuple[jwt.PyJWK, str]:
        """The key that a token names, and that key's id."""
        header = self._signatures.get_unverified_header(token)
        key_id = header.get("kid")
        if header.get("alg") not in ALGORITHMS or not isinstance(key_id, str):
            raise TokenRefusedError("another algorithm, or no key id")
        key = await self._keys.key(key_id)
        if key is None:
            raise TokenRefusedError("unknown key")
        return key, key_id
