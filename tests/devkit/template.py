"""What template.yaml says of the functions and of the API, so that the local ones are given the same."""

import functools
from collections.abc import Mapping
from typing import Any

import yaml

from tests.devkit.processes import ROOT

Json = dict[str, Any]

# API Gateway's own refusals: status and message by response type, where the template says nothing of them.
_STOCK = {
    "MISSING_AUTHENTICATION_TOKEN": (403, "Missing Authentication Token"),
    "BAD_REQUEST": (400, "Bad Request"),
    "REQUEST_TOO_LARGE": (413, "Request Too Long"),
    "LAMBDA_FAILURE": (502, "Internal server error"),
    "INTEGRATION_TIMEOUT": (504, "Endpoint request timed out"),
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads CloudFormation's tags as what they are put on: nothing here depends on what they mean."""


def _plain(loader: Any, _tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor("!", _plain)


@functools.cache
def resources() -> Mapping[str, Json]:
    """The template's resources by their logical ids."""
    text = (ROOT / "template.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Json] = yaml.load(text, _Loader)["Resources"]
    return found


def function(name: str) -> Json:
    """The properties of a function: ``accept`` is the resource ``AcceptFunction``."""
    properties: Json = resources()[f"{name.capitalize()}Function"]["Properties"]
    return properties


def refusal(kind: str) -> tuple[int, list[tuple[str, str]], bytes]:
    """API Gateway's own answer of a response type: status, headers, body."""
    (api,) = (found for found in resources().values() if found["Type"] == "AWS::Serverless::Api")
    shaped = api["Properties"].get("GatewayResponses", {})
    status, message = _STOCK[kind]
    response = shaped.get(kind) or shaped.get("DEFAULT_5XX" if status >= 500 else "DEFAULT_4XX", {})
    headers = {
        name: text.strip("'") for name, text in response.get("ResponseParameters", {}).get("Headers", {}).items()
    }
    body = response.get("ResponseTemplates", {}).get("application/json", '{"message": $context.error.messageString}')
    filled = body.replace("$context.error.messageString", f'"{message}"').replace("$context.error.message", message)
    return (
        int(response.get("StatusCode", status)),
        [("Content-Type", "application/json"), ("x-amzn-ErrorType", kind), *headers.items()],
        filled.encode(),
    )
