"""The accept function as API Gateway calls it: real events in, the proxy's answers out, a real database behind."""

import base64
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
from psycopg.rows import dict_row

from lanekeeper.accept import Gateway
from lanekeeper.wiring import accept
from tests.devkit import events
from tests.unit.people import issuer

KEY = issuer.rsa_key()
KEYS = json.dumps({"keys": [issuer.public(KEY, "k1")]})


@dataclass
class Reply:
    """What the client gets."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a refusal, after a look at its shape."""
        error = self.json["error"]
        assert set(error) == {"code", "message", "retryable", "nextStep"}, error
        assert isinstance(error["message"], str)
        assert error["message"]
        assert isinstance(error["retryable"], bool)
        assert error["nextStep"].strip()
        return str(error["code"])


@dataclass
class Lambda:
    """A Lambda endpoint that takes every event, or fails as it is told."""

    url: str
    events: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)
    status: int = 202
    patience: threading.Event | None = None
    """When there is one, every answer waits for it."""

    @property
    def turns(self) -> list[str]:
        return [json.loads(body)["turnId"] for _, _, body in self.events]


@contextmanager
def local_lambda() -> Iterator[Lambda]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            endpoint.events.append((self.path, dict(self.headers), body))
            if endpoint.patience is not None:
                endpoint.patience.wait()
            self.send_response(endpoint.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = Lambda(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Api:
    """A client of the function.

    Args:
        database_url: a superuser's, to look at what was stored.
        accept_url: the function's own.
    """

    def __init__(
        self, database_url: str, accept_url: str, endpoint: Lambda, page: Path | None = None, **environment: str
    ) -> None:
        self.database_url = database_url
        self.endpoint = endpoint
        self.stage = ""
        self.environment = {
            "LANEKEEPER_ENVIRONMENT": "dev",
            "AWS_REGION": "eu-west-1",
            "DATABASE_URL": accept_url,
            "DATABASE_AUTH": "none",
            "OIDC_ISSUER": issuer.URL,
            "OIDC_JWKS": KEYS,
            "OIDC_CLIENTS": issuer.CLIENT,
            "MAINLINE_BASE_URL": "http://127.0.0.1:9/v1",
            "MAINLINE_AI_KEY": "key",
            "WORKER_FUNCTION": "worker",
            "MAINTENANCE_FUNCTION": "maintenance",
            "AWS_ENDPOINT_URL_LAMBDA": endpoint.url,
            "PAGE_DIR": str(page) if page else "",
            **environment,
        }
        self.gateway: Gateway = accept.build(self.environment)

    def token(self, sub: str = "ana", claims: Mapping[str, Any] | None = None) -> str:
        return issuer.sign(issuer.claims(datetime.now(UTC), sub=sub, **(claims or {})), KEY)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        sub: str | None = "ana",
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    ) -> Reply:
        """Send a request. A body that is no bytes goes as JSON."""
        sent = list(headers.items() if isinstance(headers, Mapping) else headers)
        named = {name.lower() for name, _ in sent}
        if body is not None and "content-type" not in named:
            sent.append(("Content-Type", "application/json"))
        if sub is not None and "authorization" not in named:
            sent.append(("Authorization", f"Bearer {self.token(sub)}"))
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        event = events.event(
            method,
            path,
            urlencode(query or {}),
            sent,
            content,
            to=events.route(method, path),
            stage=self.stage,
            source_ip="203.0.113.7",
            host="api.example:443",
        )
        return self.take(event)

    def take(self, event: dict[str, Any]) -> Reply:
        """Hand over an event as it is."""
        answer = self.gateway(event, None)
        text = answer["body"]
        body = base64.b64decode(text) if answer["isBase64Encoded"] else text.encode()
        headers = dict(answer["headers"])
        headers |= {name: ", ".join(values) for name, values in answer.get("multiValueHeaders", {}).items()}
        return Reply(answer["statusCode"], headers, body)

    def send(self, text: str = "Hello", *, sub: str = "ana", key: str | None = None, **body: Any) -> Reply:
        """``POST /chat`` in the native form, preferring 202."""
        headers = {"Prefer": "respond-async", **({"Idempotency-Key": key} if key else {})}
        return self("POST", "/chat", {"text": text, **body}, sub=sub, headers=headers)

    def sql(self, statement: str, *parameters: Any) -> list[dict[str, Any]]:
        """Ask the database as its superuser."""
        with psycopg.connect(self.database_url, autocommit=True, row_factory=dict_row) as connection:
            cursor = connection.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def count(self, table: str) -> int:
        return int(self.sql(f"select count(*) as n from {table}")[0]["n"])

    def stored(self) -> dict[str, int]:
        """How many rows there are of everything that an acceptance may write."""
        return {name: self.count(name) for name in ("users", "conversations", "lanes", "turns", "inbox", "messages")}
