from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.credentials import Credentials
from botocore.model import ServiceId
from botocore.session import Session
from botocore.signers import RequestSigner, generate_db_auth_token

from lanekeeper.settings import Secret, Settings, SettingsError

PRODUCTION = {
    "LANEKEEPER_ENVIRONMENT": "production",
    "AWS_REGION": "eu-west-1",
    "DATABASE_URL": "postgresql://lanekeeper_accept@db.example.com:5432/lanekeeper",
    "DATABASE_AUTH": "iam",
    "DATABASE_CA": "/opt/rds.pem",
    "OIDC_ISSUER": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc/",
    "OIDC_CLIENTS": "web, phone",
    "MAINLINE_BASE_URL": "https://mainline.example.com/v1",
    "MAINLINE_AI_KEY_SECRET": "arn:aws:secretsmanager:eu-west-1:1:secret:mainline",
}


def test_production_starts_with_real_settings():
    settings = Settings.from_environment(PRODUCTION)
    assert settings.oidc_clients == ("web", "phone")
    assert settings.oidc_issuer.endswith("_abc")
    assert settings.lambda_endpoint == "https://lambda.eu-west-1.amazonaws.com"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_AUTH", "none"),
        ("DATABASE_CA", ""),
        ("OIDC_ISSUER", "http://issuer.example.com"),
        ("OIDC_ISSUER", "https://127.0.0.1:8000/issuer"),
        ("OIDC_ISSUER", "https://[::1]/issuer"),
        ("OIDC_JWKS_URL", "https://localhost/keys"),
        ("MAINLINE_BASE_URL", "http://mainline.example.com"),
        ("MAINLINE_BASE_URL", "https://0.0.0.0/v1"),
        ("SEARCH_BASE_URL", "http://search.example.com"),
        ("AWS_ENDPOINT_URL_LAMBDA", "http://127.0.0.1:9001"),
    ],
)
@pytest.mark.parametrize("environment", ["staging", "production"])
def test_production_and_staging_refuse_test_settings(environment: str, variable: str, value: str):
    with pytest.raises(SettingsError, match=variable):
        Settings.from_environment(PRODUCTION | {"LANEKEEPER_ENVIRONMENT": environment, variable: value})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LANEKEEPER_ENVIRONMENT", ""),
        ("LANEKEEPER_ENVIRONMENT", "test"),
        ("DATABASE_AUTH", "md5"),
        ("OIDC_KIND", "saml"),
    ],
)
def test_an_unknown_choice_is_refused_by_its_variable(variable: str, value: str):
    with pytest.raises(SettingsError, match=f"{variable} must be one of"):
        Settings.from_environment(PRODUCTION | {variable: value})


def test_a_function_names_the_settings_it_cannot_do_without():
    settings = Settings.from_environment({"LANEKEEPER_ENVIRONMENT": "dev"})
    with pytest.raises(SettingsError, match="not set: database_url, mainline_key"):
        settings.require("database_url", "mainline_key", "environment")


def test_no_secret_is_ever_printed():
    settings = Settings.from_environment(
        {
            "LANEKEEPER_ENVIRONMENT": "dev",
            "DATABASE_URL": "postgresql://someone:hunter2@localhost/x",
            "MAINLINE_AI_KEY": "sk-hunter2",
            "SEARCH_API_KEY": "hunter2",
        }
    )
    assert "hunter2" not in repr(settings)
    assert settings.mainline_key.reveal() == "sk-hunter2"


def test_a_secret_is_read_once_and_again_after_it_was_refused(monkeypatch: pytest.MonkeyPatch):
    values = iter(["first", "second"])
    monkeypatch.setattr("lanekeeper.aws.secret_value", lambda _arn, _region: next(values))
    secret = Secret(arn="arn:aws:secretsmanager:eu-west-1:1:secret:x", region="eu-west-1")
    assert not secret.ready
    assert [secret.reveal(), secret.reveal()] == ["first", "first"]
    assert secret.ready
    assert secret.forget()
    assert secret.reveal() == "second"
    assert not Secret("given").forget()


def test_a_dev_database_is_dialled_as_its_address_says():
    settings = Settings.from_environment(
        {
            "LANEKEEPER_ENVIRONMENT": "dev",
            "DATABASE_AUTH": "none",
            "DATABASE_URL": "postgresql://me@127.0.0.1:5544/lane",
        }
    )
    assert settings.dial() == {"user": "me", "host": "127.0.0.1", "port": "5544", "dbname": "lane"}


def test_a_deployed_database_is_dialled_with_a_signed_token_over_verified_tls(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "session/token+=")
    parameters = Settings.from_environment(PRODUCTION).dial()
    assert parameters["sslmode"] == "verify-full"
    assert parameters["sslrootcert"] == "/opt/rds.pem"
    assert _parts(parameters["password"], but="X-Amz-Signature") == _parts(_botocore_token(), but="X-Amz-Signature")
    assert len(_parts(parameters["password"])[2]["X-Amz-Signature"][0]) == 64


def test_the_owner_of_a_deployed_database_is_dialled_with_the_password_that_rds_keeps(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lanekeeper.aws.secret_value", lambda _arn, _region: '{"username": "owner", "password": "p w"}')
    secret = {"DATABASE_AUTH": "password", "DATABASE_PASSWORD_SECRET": "arn:aws:secretsmanager:eu-west-1:1:secret:db"}
    parameters = Settings.from_environment(PRODUCTION | secret).dial()
    assert (parameters["password"], parameters["sslmode"]) == ("p w", "verify-full")
    assert parameters["sslrootcert"] == "/opt/rds.pem"


def _parts(token: str, but: str = "") -> tuple[str, str, dict[str, list[str]]]:
    url = urlsplit(f"https://{token}")
    query = {key: value for key, value in parse_qs(url.query).items() if key not in {but, "X-Amz-Date"}}
    return url.netloc, url.path, query


def _botocore_token() -> str:
    credentials = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI", "session/token+=")
    emitter = Session().get_component("event_emitter")
    signer = RequestSigner(ServiceId("rds-db"), "eu-west-1", "rds-db", "v4", credentials, emitter)
    client = SimpleNamespace(_request_signer=signer, meta=SimpleNamespace(region_name="eu-west-1"))
    return generate_db_auth_token(client, "db.example.com", 5432, "lanekeeper_accept")
