"""Decisions, embeddings and batches."""

import base64
import json
import struct
from typing import Any

import httpx
import pytest

from tests.unit.devkit.mainline.conftest import HELLO, Gateway

QUESTIONS = [
    {"type": "predicate", "name": "wants_human", "instructions": "Do they want a person?"},
    {"type": "choice", "name": "language", "instructions": "?", "choices": [{"value": "de"}, {"value": "en"}]},
    {"type": "choice", "name": "difficulty", "instructions": "?", "choices": [{"value": "hard"}, {"value": "easy"}]},
    {"type": "score", "name": "anger", "instructions": "?", "levels": [{"label": "calm"}, {"label": "angry"}]},
]


async def decide(gateway: Gateway, user: str = "ana", **body: Any) -> httpx.Response:
    whole = {"model": "decisions", "input": "hello", "questions": QUESTIONS, **body}
    return await gateway.http.post("/v1/decisions", json=whole, headers={"x-mainline-user": user})


async def verdicts(gateway: Gateway, user: str = "ana") -> list[Any]:
    answers = (await decide(gateway, user)).json()["answers"]
    return [answer.get("probability", answer.get("choice", answer.get("score"))) for answer in answers]


async def test_unscripted_questions_find_nothing_remarkable(gateway: Gateway) -> None:
    response = await decide(gateway)
    assert set(response.json()) == {"model", "answers", "usage"}
    assert float(response.headers["x-litellm-response-cost"]) > 0
    assert await verdicts(gateway) == [0.0, "en", "easy", 0.0]


async def test_scripted_verdicts_are_for_the_next_call_of_that_person(gateway: Gateway) -> None:
    await gateway.control("decisions", sub="ana", answers={"wants_human": 0.9, "language": "de", "anger": 1})
    assert await verdicts(gateway, "ben") == [0.0, "en", "easy", 0.0]
    assert await verdicts(gateway, "ana") == [0.9, "de", "easy", 1.0]
    assert await verdicts(gateway, "ana") == [0.0, "en", "easy", 0.0]


async def test_a_classifier_call_can_fail(gateway: Gateway) -> None:
    await gateway.control("decisions", answers={}, error=500)
    assert (await decide(gateway)).status_code == 500
    assert (await decide(gateway)).status_code == 200


async def test_verdicts_can_be_taken_back(gateway: Gateway) -> None:
    await gateway.control("decisions", answers={"wants_human": 1.0})
    await gateway.control("decisions")
    assert (await verdicts(gateway))[0] == 0.0


@pytest.mark.parametrize(
    "body",
    [
        {"questions": []},
        {"questions": QUESTIONS * 101},
        {"questions": [{"type": "riddle"}]},
        {"questions": [{"type": "choice", "instructions": "?", "choices": []}]},
        {"input": ""},
    ],
)
async def test_questions_that_make_no_sense_are_refused(gateway: Gateway, body: dict[str, Any]) -> None:
    assert (await decide(gateway, **body)).status_code == 400


async def embed(gateway: Gateway, **body: Any) -> list[Any]:
    response = await gateway.http.post("/v1/embeddings", json={"model": "embeddings", **body})
    return [entry["embedding"] for entry in response.json()["data"]]


async def test_texts_that_share_words_point_the_same_way(gateway: Gateway) -> None:
    one, same, other = await embed(gateway, input=["The red house", "the RED house!", "quite another thing"])
    assert sum(a * b for a, b in zip(one, same, strict=True)) == pytest.approx(1)
    assert sum(a * b for a, b in zip(one, other, strict=True)) < 0.5
    packed = (await embed(gateway, input="The red house", encoding_format="base64"))[0]
    assert struct.unpack(f"<{len(one)}f", base64.b64decode(packed)) == pytest.approx(one)


def line(number: int, user: str = "") -> str:
    body = {"model": "small", "messages": HELLO, **({"user": user} if user else {})}
    return json.dumps({"custom_id": f"line-{number}", "method": "POST", "url": "/v1/chat/completions", "body": body})


async def upload(gateway: Gateway, *lines: str) -> str:
    files = {"file": ("batch.jsonl", "\n".join(lines).encode(), "application/jsonl")}
    response = await gateway.http.post("/v1/files", data={"purpose": "batch"}, files=files)
    assert response.json()["bytes"] == len("\n".join(lines))
    return str(response.json()["id"])


async def start(gateway: Gateway, file_id: str) -> httpx.Response:
    body = {"input_file_id": file_id, "endpoint": "/v1/chat/completions", "completion_window": "24h"}
    return await gateway.http.post("/v1/batches", json=body, headers={"x-mainline-feature": "notes"})


async def results(gateway: Gateway, file_id: str) -> list[dict[str, Any]]:
    content = (await gateway.http.get(f"/v1/files/{file_id}/content")).text
    return [json.loads(one) for one in content.splitlines()]


async def test_a_batch_is_done_after_its_time_on_the_fakes_clock_and_each_line_takes_one_notes_reply(
    gateway: Gateway,
) -> None:
    await gateway.script({"text": "ben's notes"}, feature="notes", sub="ben")
    await gateway.script({"text": "first"}, {"error": 500}, feature="notes")
    started = (await start(gateway, await upload(gateway, line(1), line(2, "ben"), line(3)))).json()
    assert started["status"] == "in_progress"
    await gateway.control("clock", advance_s=61)
    batch = (await gateway.http.get(f"/v1/batches/{started['id']}")).json()
    assert batch["status"] == "completed"
    assert batch["request_counts"] == {"total": 3, "completed": 2, "failed": 1}
    answers = {r["custom_id"]: r["response"]["body"] for r in await results(gateway, batch["output_file_id"])}
    texts = {name: body["choices"][0]["message"]["content"] for name, body in answers.items()}
    assert texts == {"line-1": "first", "line-2": "ben's notes"}
    failed = await results(gateway, batch["error_file_id"])
    assert [(one["custom_id"], one["response"]["status_code"]) for one in failed] == [("line-3", 500)]
    assert [request["feature"] for request in await gateway.requests()] == ["notes"] * 3


async def test_a_batch_costs_half(gateway: Gateway) -> None:
    await gateway.control("batches", delay_s=0)
    await gateway.script({"text": "a"})
    await gateway.script({"text": "a"}, feature="notes")
    full = float((await gateway.chat()).headers["x-litellm-response-cost"])
    started = (await start(gateway, await upload(gateway, line(1)))).json()
    usage = (await results(gateway, started["output_file_id"]))[0]["response"]["body"]["usage"]
    assert usage["cost"] == pytest.approx(full / 2)


@pytest.mark.parametrize("lines", [("{",), (line(1), line(1)), ('{"custom_id": "a"}',), ("",)])
async def test_a_file_that_holds_no_requests_makes_no_batch(gateway: Gateway, lines: tuple[str, ...]) -> None:
    assert (await start(gateway, await upload(gateway, *lines))).status_code == 400


async def test_what_does_not_exist_is_not_found(gateway: Gateway) -> None:
    for path in ("/v1/files/none", "/v1/files/none/content", "/v1/batches/none", "/v1/nothing", "/nothing"):
        assert (await gateway.http.get(path)).status_code == 404
    assert (await start(gateway, "none")).status_code == 404
    assert (await gateway.http.post("/control/nothing", json={})).status_code == 404
