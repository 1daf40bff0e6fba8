"""The local issuer: signs access tokens of Cognito's shape and publishes the key to check them with."""

import base64
import time
import uuid
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT = "lanekeeper-web"
GROUPS_CLAIM = "cognito:groups"

# A token without an end of its own outlives every movement of the clock.
_FAR_AHEAD_S = 100 * 365 * 86400


class Issuer:
    """Signs with an RSA key that is made once and kept in ``file``, so that tokens outlive a restart on kept data."""

    def __init__(self, url: str, file: Path) -> None:
        self.url = url
        if not file.exists():
            key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
            pem = key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            file.touch(mode=0o600)
            file.write_bytes(pem)
        loaded = serialization.load_pem_private_key(file.read_bytes(), password=None)
        assert isinstance(loaded, rsa.RSAPrivateKey)
        self._key = loaded
        numbers = loaded.public_key().public_numbers()
        self._key_id = uuid.uuid5(uuid.NAMESPACE_URL, str(numbers.n)).hex
        self.jwks: dict[str, Any] = {
            "keys": [
                {
                    "kty": "RSA",
                    "use": "sig",
                    "alg": "RS256",
                    "kid": self._key_id,
                    "n": _base64url(numbers.n),
                    "e": _base64url(numbers.e),
                }
            ]
        }

    def configuration(self) -> dict[str, Any]:
        """The OpenID configuration document."""
        return {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/.well-known/jwks.json",
            "id_token_signing_alg_values_supported": ["RS256"],
            "subject_types_supported": ["public"],
            "response_types_supported": ["code"],
        }

    def token(
        self,
        sub: str,
        *,
        groups: list[str] | None = None,
        name: str | None = None,
        timezone: str | None = None,
        now: float | None = None,
        expires_in_s: float | None = None,
    ) -> str:
        """An access token for a person. ``now`` is the system's present in seconds since 1970."""
        now = time.time() if now is None else now
        claims: dict[str, Any] = {
            "sub": sub,
            "iss": self.url,
            "client_id": CLIENT,
            "token_use": "access",
            "scope": "openid profile",
            "username": sub,
            # Never later than the real present, so that a clock moved back does not meet tokens of the future.
            "auth_time": int(min(now, time.time())),
            "iat": int(min(now, time.time())),
            "exp": int(now + (_FAR_AHEAD_S if expires_in_s is None else expires_in_s)),
            "jti": str(uuid.uuid4()),
            "origin_jti": str(uuid.uuid4()),
        }
        if groups:
            claims[GROUPS_CLAIM] = groups
        if name:
            claims["name"] = name
        if timezone:
            claims["zoneinfo"] = timezone
        return jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": self._key_id})


def _base64url(number: int) -> str:
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
