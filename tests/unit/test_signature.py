"""Our signatures are botocore's, to the letter."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials

from lanekeeper import clock
from lanekeeper.signature import Signer

NOW = datetime(2030, 5, 1, 12, 34, 56, tzinfo=UTC)
TOKENS = pytest.mark.parametrize("token", ["", "FwoGZXIvYXdz+/=="], ids=["a user", "a role"])


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: NOW.replace(tzinfo=None))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)


def credentials(token: str) -> ReadOnlyCredentials:
    return ReadOnlyCredentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token or None)


@TOKENS
@pytest.mark.parametrize("name", ["worker", "arn%3Aaws%3Alambda%3Aeu-west-1%3A123%3Afunction%3Aworker"])
def test_a_signed_invoke_is_botocores(name: str, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if token:
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)
    url = f"https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/{name}/invocations"
    headers = {"Content-Type": "application/json", "X-Amz-Invocation-Type": "Event"}
    body = '{"turnId": "türn"}'.encode()
    request = AWSRequest("POST", url, headers=headers, data=body)
    botocore.auth.SigV4Auth(credentials(token), "lambda", "eu-west-1").add_auth(request)
    ours = Signer("lambda", "eu-west-1").headers("POST", url, headers, body)
    assert ours["Authorization"] == request.headers["Authorization"]
    assert {**dict(request.headers.items()), "Host": "lambda.eu-west-1.amazonaws.com"} == ours


@TOKENS
def test_a_signed_database_password_is_botocores(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if token:
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)
    url = "https://db.example.eu-west-1.rds.amazonaws.com:5432/"
    request = AWSRequest("GET", f"{url}?Action=connect&DBUser=lanekeeper_accept")
    botocore.auth.SigV4QueryAuth(credentials(token), "rds-db", "eu-west-1", expires=900).add_auth(request)
    ours = Signer("rds-db", "eu-west-1").url(url, {"Action": "connect", "DBUser": "lanekeeper_accept"}, 900)
    assert ours.startswith(url)
    assert dict(parse_qsl(urlsplit(ours).query)) == dict(parse_qsl(urlsplit(str(request.url)).query))
