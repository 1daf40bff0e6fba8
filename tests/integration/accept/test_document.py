"""The OpenAPI document says what the function does: requests made from it, good and bad, are answered as it says."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import ignored_auth, missing_required_header, positive_data_acceptance

from tests.devkit import events
from tests.integration.accept.api import Api, Lambda

# Not every id of the right shape is one that exists; every case is sent with a token; and here no model can be
# reached, so that 503 is the right answer of one route.
LEFT_OUT = [positive_data_acceptance, ignored_auth, missing_required_header, not_a_server_error]
SENT = ("method", "url", "headers", "params", "data", "json", "cookies")


def document() -> dict[str, Any]:
    """The document, from a function that has no database."""
    api = Api("", "postgresql://lanekeeper_accept@127.0.0.1:9/none", Lambda("http://127.0.0.1:9"))
    found = api("GET", "/openapi.json", sub=None).json
    api.gateway.loop.close()
    # Another function serves it.
    del found["paths"]["/chat/{conversationId}/stream"]
    return dict(found)


schema = schemathesis.openapi.from_dict(document())


@pytest.fixture(scope="module", autouse=True)
def nothing_on_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))
    yield
    set_hypothesis_home_dir(None)


class Gateway(httpx.BaseTransport):
    """The function behind an HTTP client."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path, _, query = request.url.raw_path.decode().partition("?")
        event = events.event(
            request.method,
            path,
            query,
            [(name, value) for name, value in request.headers.items() if name != "content-length"],
            request.read(),
            to=events.route(request.method, path),
            stage="",
            source_ip="203.0.113.7",
            host="api.example:443",
        )
        reply = self._api.take(event)
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body)


@schema.parametrize()
@settings(max_examples=20, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_function_does_what_its_document_says(case: Any, shared_api: Api) -> None:
    token = shared_api.token(claims={"cognito:groups": ["staff", "admin"]})
    case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}
    wanted = case.as_transport_kwargs(base_url="https://api.example")
    sent: Any = requests.Request(**{name: value for name, value in wanted.items() if name in SENT}).prepare()
    with httpx.Client(transport=Gateway(shared_api)) as client:
        reply = client.request(sent.method, sent.url, headers=dict(sent.headers), content=sent.body)
    reply.elapsed = timedelta(0)
    assert reply.status_code != 500
    case.validate_response(reply, excluded_checks=LEFT_OUT)


def test_every_route_has_its_errors_and_its_security_in_the_document() -> None:
    found = document()
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            assert operation["responses"]["default"]["content"]["application/json"], (method, path)
            assert ("401" in operation["responses"]) == bool(operation["security"]), (method, path)
    assert "HTTPValidationError" not in json.dumps(found)
