"""A real issuer for tests: real keys, and a key set served over HTTP on a port of its own."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

URL = "https://issuer.example"
CLIENT = "web-client"
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def ec_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def public(key: PrivateKey, kid: str, **extra: Any) -> dict[str, Any]:
    if isinstance(key, rsa.RSAPrivateKey):
        data = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        data = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    data.pop("key_ops", None)
    return {**data, "kid": kid, "use": "sig", **extra}


def claims(now: datetime, **changed: Any) -> dict[str, Any]:
    """The claims of a Cognito access token; a change to None takes the claim away."""
    seconds = int(now.timestamp())
    whole = {
        "iss": URL,
        "sub": "ana",
        "client_id": CLIENT,
        "token_use": "access",
        "iat": seconds,
        "exp": seconds + 3600,
        "cognito:groups": ["staff"],
        **changed,
    }
    return {name: value for name, value in whole.items() if value is not None}


def sign(payload: dict[str, Any], key: Any, kid: str | None = "k1", algorithm: str = "RS256", **header: Any) -> str:
    headers = {**({"kid": kid} if kid else {}), **header}
    return jwt.api_jws.encode(json.dumps(payload).encode(), key, algorithm=algorithm, headers=headers)


@contextmanager
def served(keys: list[dict[str, Any]]) -> Iterator[tuple[str, list[datetime]]]:
    """Serve a key set; the list may be changed while it runs. Gives its URL and the moments it was fetched."""
    fetched: list[datetime] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fetched.append(datetime.now(UTC))
            body = json.dumps({"keys": keys}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/.well-known/jwks.json", fetched
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
