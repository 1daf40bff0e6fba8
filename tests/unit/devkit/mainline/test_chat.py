"""Chat completions as OpenAI's clients expect them on the wire."""

import json
from typing import Any

import httpx
import pytest

from tests.unit.devkit.mainline.conftest import HELLO, Gateway

STREAM: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}


def chunks(response: httpx.Response) -> list[dict[str, Any]]:
    assert response.headers["content-type"].startswith("text/event-stream")
    lines = [line for line in response.text.split("\n\n") if line]
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


def deltas(response: httpx.Response) -> list[dict[str, Any]]:
    return [chunk["choices"][0]["delta"] for chunk in chunks(response) if chunk["choices"]]


async def test_a_stream_tells_the_text_in_pieces_then_why_it_ended_then_what_it_cost(gateway: Gateway) -> None:
    await gateway.script({"text": "One two,\nthree\u2028four 中文."})
    found = chunks(await gateway.chat(**STREAM))
    assert found[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert "".join(c["choices"][0]["delta"].get("content", "") for c in found[:-1]) == "One two,\nthree\u2028four 中文."
    assert len(found) > 6
    assert found[-2]["choices"][0]["finish_reason"] == "stop"
    assert found[-1]["choices"] == []
    assert found[-1]["usage"]["cost"] > 0
    assert all(chunk["usage"] is None for chunk in found[:-1])
    assert {chunk["id"] for chunk in found} == {found[0]["id"]}


async def test_a_stream_without_include_usage_has_none(gateway: Gateway) -> None:
    assert not any("usage" in chunk for chunk in chunks(await gateway.chat(stream=True)))


async def test_text_and_calls_come_in_one_reply_and_the_arguments_in_pieces(gateway: Gateway) -> None:
    query = "how far it is from here to the moon and back"
    calls = [{"name": "web_search", "args": {"query": query}}, {"name": "clock_now"}]
    await gateway.script({"text": "Let me look.", "calls": calls})
    found = deltas(await gateway.chat(**STREAM))
    parts = [part for delta in found for part in delta.get("tool_calls", ())]
    arguments = {0: "", 1: ""}
    for part in parts:
        arguments[part["index"]] += part["function"]["arguments"]
    named = [part for part in parts if "id" in part]
    assert [part["function"]["name"] for part in named] == ["web_search", "clock_now"]
    assert len({part["id"] for part in named}) == 2
    assert [json.loads(text) for text in arguments.values()] == [{"query": query}, {}]
    assert len(parts) > 4
    assert "".join(delta.get("content") or "" for delta in found) == "Let me look."


async def test_a_plain_call_has_its_cost_in_a_header(gateway: Gateway) -> None:
    await gateway.script({"text": "x" * 400})
    response = await gateway.chat()
    usage = response.json()["usage"]
    assert usage["completion_tokens"] == 100
    assert "cost" not in usage
    expected = usage["prompt_tokens"] * 0.25e-6 + 100 * 2e-6
    assert float(response.headers["x-litellm-response-cost"]) == pytest.approx(expected)


async def test_the_large_model_costs_more(gateway: Gateway) -> None:
    small, large = [
        float((await gateway.chat(model=model)).headers["x-litellm-response-cost"]) for model in ("small", "large")
    ]
    assert large > 5 * small


async def test_a_calls_finish_reason_is_tool_calls_unless_scripted(gateway: Gateway) -> None:
    await gateway.script({"calls": [{"name": "a"}]}, {"text": "cut sh", "finish_reason": "length"})
    reasons = [(await gateway.chat()).json()["choices"][0]["finish_reason"] for _ in range(2)]
    assert reasons == ["tool_calls", "length"]


async def test_scripted_usage_replaces_the_counted_one_and_the_cost_follows(gateway: Gateway) -> None:
    await gateway.script({"text": "a", "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0}})
    usage = chunks(await gateway.chat(**STREAM))[-1]["usage"]
    assert usage["total_tokens"] == 1_000_000
    assert usage["cost"] == pytest.approx(0.25)


async def test_running_totals_come_beside_the_tokens(gateway: Gateway) -> None:
    """B068: a client that sums them counts 30 for 10."""
    totals = [{"input_tokens": 10, "output_tokens": number} for number in (1, 2, 3)]
    await gateway.script({"text": "a b c", "usage": totals})
    found = [chunk["usage"] for chunk in chunks(await gateway.chat(**STREAM)) if chunk["usage"]]
    assert [(one["prompt_tokens"], one["completion_tokens"]) for one in found] == [(10, 1), (10, 2), (10, 3), (10, 3)]


async def test_usage_can_be_left_out(gateway: Gateway) -> None:
    """B068: a missing usage makes an estimated row."""
    await gateway.script({"text": "a", "usage": {}}, {"text": "a", "usage": {}})
    assert not any(chunk["usage"] for chunk in chunks(await gateway.chat(**STREAM)))
    plain = await gateway.chat()
    assert "usage" not in plain.json()
    assert "x-litellm-response-cost" not in plain.headers


async def test_another_key_is_refused_in_openais_shape(gateway: Gateway) -> None:
    for headers in ({"authorization": "Bearer wrong"}, {"authorization": ""}):
        response = await gateway.http.get("/v1/models", headers=headers)
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "invalid_api_key"


async def test_the_can_use_list_holds_two_chat_models_and_all_else_is_refused(gateway: Gateway) -> None:
    listed = [model["id"] for model in (await gateway.http.get("/v1/models")).json()["data"]]
    assert {"small", "large", "decisions", "speech-in", "speech-out"} <= set(listed)
    response = await gateway.chat(model="gpt-anything")
    assert response.status_code == 403
    assert set(response.json()["error"]) == {"message", "type", "param", "code"}
    assert (await gateway.chat(model="decisions")).status_code == 400


async def test_routes_answer_with_and_without_their_version(gateway: Gateway) -> None:
    assert (await gateway.http.get("/models")).json() == (await gateway.http.get("/v1/models")).json()


async def test_speech_is_not_spoken_yet(gateway: Gateway) -> None:
    response = await gateway.http.post("/v1/audio/speech", json={})
    assert (response.status_code, response.json()["error"]["code"]) == (501, "not_implemented")


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "{}"}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [*HELLO, RESULT],
        [*HELLO, ASKING],
        [*HELLO, ASKING, *HELLO],
        [*HELLO, ASKING, RESULT, RESULT],
        [*HELLO, {"role": "assistant", "content": ""}],
        [*HELLO, {"role": "assistant", "content": "", "tool_calls": []}],
        [{"role": "nobody", "content": "a"}],
        [{"role": "user", "content": 7}],
    ],
)
async def test_a_history_that_providers_refuse_is_refused(gateway: Gateway, messages: list[Any]) -> None:
    """B007, B010: every call is followed by exactly one result, and no message is empty."""
    response = await gateway.chat(messages=messages)
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")


async def test_a_whole_history_is_taken(gateway: Gateway) -> None:
    await gateway.script({"text": "fine"})
    assert await gateway.text(messages=[*HELLO, ASKING, RESULT, {"role": "system", "content": "now"}]) == "fine"


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"model": 3}', b'{"model": "small", "messages": "x"}'])
async def test_nonsense_is_a_400(gateway: Gateway, raw: bytes) -> None:
    assert (await gateway.http.post("/v1/chat/completions", content=raw)).status_code == 400
