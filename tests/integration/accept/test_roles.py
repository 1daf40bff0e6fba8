"""What a sender is to this service goes with the message, from the signed token and from nowhere else (N2, E1)."""

from typing import Any

import pytest

from tests.integration.accept.api import Api


def send(api: Api, groups: Any, **body: Any) -> dict[str, Any]:
    headers = {
        "Prefer": "respond-async",
        "Authorization": f"Bearer {api.token(claims={'cognito:groups': groups})}",
    }
    assert api("POST", "/chat", {"text": "Hello", **body}, headers=headers).status == 202
    [row] = api.sql("select payload from inbox")
    payload: dict[str, Any] = row["payload"]
    return payload


def test_the_roles_that_mean_something_here_go_with_the_message_n2(api: Api) -> None:
    assert send(api, ["staff", "readers", "admin"])["roles"] == ["admin", "staff"]


@pytest.mark.parametrize("groups", [None, [], ["readers"], "admin"])
def test_a_person_without_a_role_sends_none(api: Api, groups: Any) -> None:
    assert "roles" not in send(api, groups)


def test_a_role_in_the_body_of_a_message_counts_for_nothing_e1(api: Api) -> None:
    headers = {"Prefer": "respond-async", "Authorization": f"Bearer {api.token(claims={'cognito:groups': None})}"}
    api("POST", "/chat", {"text": "Hello", "roles": ["admin"]}, headers=headers)
    assert not any("roles" in row["payload"] for row in api.sql("select payload from inbox"))
