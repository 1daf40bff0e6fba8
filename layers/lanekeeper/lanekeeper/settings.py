"""Where and as whom a function runs: everything it reads from its environment, in one place.

A function is given only the variables it needs, so most may be empty; ``require`` names those that must not be.
Staging and production refuse to start with settings that are only good for tests.
"""

import ipaddress
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from lanekeeper import aws

ENVIRONMENTS = ("dev", "staging", "production")


class SettingsError(Exception):
    """A function may not start like this. The message names the variable, never its value."""


class Secret:
    """A key that is never printed: given as it is, or as the ARN of a secret that is read when first needed.

    Args:
        value: the key itself, or empty.
        arn: where Secrets Manager keeps it, used when there is no value.
        region: the AWS region of that secret.
    """

    __slots__ = ("_arn", "_region", "_value")

    def __init__(self, value: str = "", arn: str = "", region: str = "") -> None:
        self._value = value
        self._arn = arn
        self._region = region

    def reveal(self) -> str:
        """The key. Blocks for a request the first time when it lies in Secrets Manager."""
        if not self._value and self._arn:
            self._value = aws.secret_value(self._arn, self._region)
        return self._value

    @property
    def ready(self) -> bool:
        """Whether ``reveal`` answers without a request."""
        return bool(self._value) or not self._arn

    def forget(self) -> bool:
        """Read the key anew next time, since the other side refused it. False when there is nowhere to read it from."""
        if self._arn:
            self._value = ""
        return bool(self._arn)

    def __bool__(self) -> bool:
        return bool(self._value or self._arn)

    def __repr__(self) -> str:
        return "Secret(***)" if self else "Secret()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One function's settings. The variable of each field is its name in capitals, but for the few noted.

    ``mainline_key`` is MAINLINE_AI_KEY or MAINLINE_AI_KEY_SECRET, ``search_key`` is SEARCH_API_KEY or
    SEARCH_API_KEY_SECRET, ``traces_headers`` is TRACES_HEADERS or TRACES_HEADERS_SECRET (an ARN each),
    ``lambda_endpoint`` is AWS_ENDPOINT_URL_LAMBDA, ``region`` AWS_REGION.
    ``database_password`` is DATABASE_PASSWORD_SECRET, the ARN of a secret in the form that RDS keeps.
    DATABASE_POOLED is ``yes`` where a pooler or proxy stands before Postgres: then nothing is prepared on the server.
    """

    environment: str
    region: str = ""
    database_url: str = field(default="", repr=False)
    database_auth: str = "iam"
    database_ca: str = ""
    database_password: Secret = field(default_factory=Secret)
    database_pooled: bool = False
    oidc_issuer: str = ""
    oidc_jwks_url: str = ""
    oidc_jwks: str = ""
    oidc_kind: str = "cognito"
    oidc_clients: tuple[str, ...] = ()
    oidc_groups_claim: str = "cognito:groups"
    mainline_base_url: str = ""
    mainline_key: Secret = field(default_factory=Secret)
    search_base_url: str = ""
    search_key: Secret = field(default_factory=Secret)
    worker_function: str = ""
    maintenance_function: str = ""
    lambda_endpoint: str = ""
    page_dir: str = ""
    page_config: str = ""
    metrics_namespace: str = "lanekeeper"
    traces: str = "database"
    traces_endpoint: str = ""
    traces_headers: Secret = field(default_factory=Secret)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read and check the settings.

        Raises:
            SettingsError: a value is not one of those allowed, or only good for tests where tests do not run.
        """

        def read(name: str, default: str = "") -> str:
            return environment.get(name, "").strip() or default

        region = read("AWS_REGION") or read("AWS_DEFAULT_REGION")
        settings = cls(
            environment=_one_of("LANEKEEPER_ENVIRONMENT", read("LANEKEEPER_ENVIRONMENT"), ENVIRONMENTS),
            region=region,
            database_url=read("DATABASE_URL"),
            database_auth=_one_of("DATABASE_AUTH", read("DATABASE_AUTH", "iam"), ("none", "iam", "password")),
            database_ca=read("DATABASE_CA"),
            database_pooled=_one_of("DATABASE_POOLED", read("DATABASE_POOLED", "no"), ("no", "yes")) == "yes",
            database_password=Secret(arn=read("DATABASE_PASSWORD_SECRET"), region=region),
            oidc_issuer=read("OIDC_ISSUER").rstrip("/"),
            oidc_jwks_url=read("OIDC_JWKS_URL"),
            oidc_jwks=read("OIDC_JWKS"),
            oidc_kind=_one_of("OIDC_KIND", read("OIDC_KIND", "cognito"), ("cognito", "oidc")),
            oidc_clients=tuple(client.strip() for client in read("OIDC_CLIENTS").split(",") if client.strip()),
            oidc_groups_claim=read("OIDC_GROUPS_CLAIM", "cognito:groups"),
            mainline_base_url=read("MAINLINE_BASE_URL").rstrip("/"),
            mainline_key=Secret(read("MAINLINE_AI_KEY"), read("MAINLINE_AI_KEY_SECRET"), region),
            search_base_url=read("SEARCH_BASE_URL").rstrip("/"),
            search_key=Secret(read("SEARCH_API_KEY"), read("SEARCH_API_KEY_SECRET"), region),
            worker_function=read("WORKER_FUNCTION"),
            maintenance_function=read("MAINTENANCE_FUNCTION"),
            lambda_endpoint=read("AWS_ENDPOINT_URL_LAMBDA") or f"https://lambda.{region}.amazonaws.com",
            page_dir=read("PAGE_DIR"),
            page_config=read("PAGE_CONFIG"),
            metrics_namespace=read("METRICS_NAMESPACE", "lanekeeper"),
            traces=_one_of("TRACES", read("TRACES", "database"), ("database", "otlp")),
            traces_endpoint=read("TRACES_ENDPOINT").rstrip("/"),
            traces_headers=Secret(read("TRACES_HEADERS"), read("TRACES_HEADERS_SECRET"), region),
        )
        if settings.environment != "dev":
            settings.refuse_test_settings()
        return settings

    def require(self, *names: str) -> "Settings":
        """These settings, once each of the named fields is known to hold something.

        Raises:
            SettingsError: one is empty.
        """
        missing = [name for name in names if not getattr(self, name)]
        if missing:
            raise SettingsError(f"not set: {', '.join(missing)}")
        return self

    def refuse_test_settings(self) -> None:
        """Hold up what is only good for tests (Q5).

        Raises:
            SettingsError: the database is asked without identity or its authority's certificate, or an address is
                plain http or this very machine.
        """
        if self.database_auth == "none":
            raise SettingsError(f"DATABASE_AUTH none is for dev, not for {self.environment}")
        if self.database_url and not self.database_ca:
            raise SettingsError(f"DATABASE_CA is needed in {self.environment}: connections are verified")
        addresses = {
            "OIDC_ISSUER": self.oidc_issuer,
            "OIDC_JWKS_URL": self.oidc_jwks_url,
            "MAINLINE_BASE_URL": self.mainline_base_url,
            "SEARCH_BASE_URL": self.search_base_url,
            "AWS_ENDPOINT_URL_LAMBDA": self.lambda_endpoint,
            "TRACES_ENDPOINT": self.traces_endpoint,
        }
        for variable, address in addresses.items():
            if address and (urlsplit(address).scheme != "https" or _is_loopback(urlsplit(address).hostname or "")):
                raise SettingsError(f"{variable} must be https and not this machine in {self.environment}")

    def dial(self) -> dict[str, Any]:
        """libpq connection parameters, made anew for each connection: an IAM token lives 15 minutes."""
        from psycopg.conninfo import conninfo_to_dict

        parameters: dict[str, Any] = dict(conninfo_to_dict(self.database_url))
        if self.database_auth == "iam":
            host, port = str(parameters["host"]), int(parameters.setdefault("port", 5432))
            parameters["password"] = aws.database_token(host, port, str(parameters["user"]), self.region)
        elif self.database_auth == "password":
            parameters["password"] = json.loads(self.database_password.reveal())["password"]
        if self.database_auth != "none":
            parameters |= {"sslmode": "verify-full", "sslrootcert": self.database_ca}
        return parameters


def _one_of(variable: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise SettingsError(f"{variable} must be one of {', '.join(allowed)}")
    return value


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
