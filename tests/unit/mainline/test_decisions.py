"""Typed questions: what is sent, what is believed, and who answers where there is no endpoint (D1, D7)."""

import asyncio
import json
from typing import Any

import pytest

from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DECISIONS
from lanekeeper.mainline.client import Mainline
from lanekeeper.mainline.decisions import Decisions, Judges
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.questions import Answer, Question, image_part, text_part
from tests.unit.mainline.gateway import (
    COUNTED,
    DONE,
    FINISHED,
    SMALL,
    Book,
    Gateway,
    Play,
    caller,
    client,
    gateway,
    refuse,
    said,
    stream,
)

JUDGES = Judges(endpoint=DECISIONS, chat=SMALL)
RISK = Question(name="risk", kind="predicate", instructions="Is there danger?")
LANGUAGE = Question(
    name="language", kind="choice", instructions="Which?", options=(("en", "English"), ("de", "German"))
)
HEAT = Question(name="heat", kind="score", instructions="How hot?", options=(("cold", ""), ("warm", ""), ("hot", "")))
ALL = (RISK, LANGUAGE, HEAT)
PICTURE = "data:image/png;base64,AA"

ANSWERS = [
    {"type": "predicate", "name": "risk", "probability": 0.25},
    {"type": "choice", "name": "language", "choice": "de", "confidence": 0.9, "probabilities": []},
    {"type": "score", "name": "heat", "score": 1.5, "confidence": 0.5, "probabilities": []},
]
COUNTS = {"input_tokens": 120, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 12}


def decided(answers: Any, usage: Any = COUNTS, **headers: str) -> Play:
    return refuse(200, {"model": "m", "answers": answers, "usage": usage}, **headers)


def form(**filled: Any) -> Play:
    return stream(said(json.dumps(filled)), FINISHED, COUNTED, DONE)


def decisions(mainline: Mainline, **limits: float) -> Decisions:
    return Decisions(mainline, Limits(**limits))  # type: ignore[arg-type]


async def ask(served: Gateway, book: Book, *plays: Play, evidence: Any = "hi", **limits: float) -> Any:
    async with client(served.url) as mainline:
        served.plays.extend(plays)
        return await decisions(mainline, **limits).ask(
            evidence, ALL, JUDGES, caller(book, feature="decisions"), timeout_s=5
        )


async def test_all_questions_go_in_one_call_and_each_answer_is_read_in_its_own_kind():
    async with gateway() as served:
        answers, source = await ask(served, Book(), decided(ANSWERS), evidence="hallo")
        sent = json.loads(served.bodies[0])
        assert len(served.bodies) == 1
    assert source == "gateway"
    assert answers == {"risk": Answer(0.25), "language": Answer("de", 0.9), "heat": Answer(1.5, 0.5)}
    assert served.heads[0].startswith("POST /v1/decisions ")
    assert sent["model"] == "decisions"
    assert sent["input"] == "hallo"
    assert sent["questions"] == [
        {"type": "predicate", "name": "risk", "instructions": "Is there danger?"},
        {
            "type": "choice",
            "name": "language",
            "instructions": "Which?",
            "choices": [{"value": "en", "description": "English"}, {"value": "de", "description": "German"}],
        },
        {
            "type": "score",
            "name": "heat",
            "instructions": "How hot?",
            "levels": [{"label": label} for label in ("cold", "warm", "hot")],
        },
    ]


async def test_a_call_for_decisions_has_a_cost_with_the_gateways_price():
    book = Book()
    async with gateway() as served:
        await ask(served, book, decided(ANSWERS, x_litellm_response_cost="0.000125"))
    assert book.only == (
        Usage(input_tokens=120, cached_tokens=20, output_tokens=12, micros=125, reported=True),
        False,
    )
    assert (book.opened_calls[0].feature, book.opened_calls[0].model) == ("decisions", "decisions")


async def test_a_picture_goes_along_as_a_part_of_one_message():
    async with gateway() as served:
        await ask(served, Book(), decided(ANSWERS), evidence=[text_part("look"), image_part(PICTURE)])
        sent = json.loads(served.bodies[0])
    assert sent["input"] == [
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": PICTURE},
            ],
        }
    ]


async def test_what_is_no_answer_to_its_question_is_left_out():
    odd = [
        {"type": "refusal", "name": "risk"},
        {"type": "choice", "name": "language", "choice": "fr", "confidence": 1},
        {"type": "score", "name": "heat", "score": True},
        {"type": "predicate", "name": "other", "probability": 1},
        {"type": "predicate", "name": ["risk"], "probability": 1},
        {"type": "score", "name": "heat", "score": 10**400},
        "nonsense",
    ]
    async with gateway() as served:
        answers, _ = await ask(served, Book(), decided(odd))
    assert answers == {}


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_where_there_is_no_endpoint_a_chat_model_fills_in_a_form_in_the_same_call(status: int):
    book = Book()
    async with gateway() as served:
        gone = refuse(status, {"error": {"code": "nothing_here"}})
        answers, source = await ask(served, book, gone, form(risk=2, language="de", heat=1))
        asked = json.loads(served.bodies[1])
    assert source == "chat"
    assert answers == {"risk": Answer(1.0), "language": Answer("de"), "heat": Answer(1.0)}
    schema = asked["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["language"] == {"type": "string", "enum": ["en", "de"]}
    assert schema["required"] == ["risk", "language", "heat"]
    assert asked["messages"][-1] == {"role": "user", "content": "hi"}
    assert [failed for _, _, failed in book.settled_calls] == [True, False]
    assert book.settled_calls[0][1] == Usage()


async def test_a_missing_endpoint_is_remembered_for_a_while():
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [refuse(404, {}), form(risk=0), form(risk=0)]
        asking = decisions(mainline)
        for _ in range(2):
            await asking.ask("hi", [RISK], JUDGES, caller(Book()), 5)
        assert [head.split()[1] for head in served.heads] == [
            "/v1/decisions",
            "/v1/chat/completions",
            "/v1/chat/completions",
        ]


async def test_an_endpoint_that_was_missing_is_tried_again_later():
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [refuse(404, {}), form(risk=0), decided(ANSWERS)]
        asking = decisions(mainline, decisions_missing_s=0)
        sources = [(await asking.ask("hi", [RISK], JUDGES, caller(Book()), 5))[1] for _ in range(2)]
    assert sources == ["chat", "gateway"]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_failing_endpoint_is_not_asked_in_another_way(status: int):
    book = Book()
    async with gateway() as served:
        with pytest.raises(MainlineError):
            await ask(served, book, refuse(status, {}))
        assert len(served.bodies) == 1
    assert book.only == (Usage(), True)


@pytest.mark.parametrize("written", ["no form at all", "[1]", '{"risk": ', "[" * 100_000])
async def test_a_form_that_cannot_be_read_is_a_failure(written: str):
    async with gateway() as served:
        with pytest.raises(MainlineError) as caught:
            await ask(served, Book(), refuse(404, {}), stream(said(written), FINISHED, COUNTED, DONE))
    assert caught.value.reason == "unreadable_form"


@pytest.mark.parametrize("way", ["endpoint", "chat"])
async def test_a_late_answer_is_a_timeout_and_what_was_sent_is_paid_for(way: str):
    async def never(answer: Any) -> None:
        await asyncio.Event().wait()

    book = Book()
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [never] if way == "endpoint" else [refuse(404, {}), never]
        with pytest.raises(MainlineError) as caught:
            await decisions(mainline).ask("x" * 400, [RISK], JUDGES, caller(book), 0.2)
    assert caught.value.kind == "timeout"
    _, usage, _ = book.settled_calls[-1]
    assert usage.input_tokens >= 100
    assert len(book.opened_calls) == len(book.settled_calls)


async def test_many_items_share_calls_up_to_the_endpoints_limit_and_keep_their_order_d7():
    items = [f"text {number}" for number in range(250)]

    def batch(first: int, count: int) -> Play:
        return decided(
            [
                {"type": "predicate", "name": f"{number}.risk", "probability": (first + number) / 1000}
                for number in range(count)
            ]
        )

    async with gateway() as served, client(served.url) as mainline:
        served.plays += [batch(0, 200), batch(200, 50)]
        answered = await decisions(mainline).ask_of_many(items, [RISK, LANGUAGE], JUDGES, caller(Book()), 5)
        sent = [json.loads(body) for body in served.bodies]
    assert [len(body["questions"]) for body in sent] == [400, 100]
    assert json.loads(sent[1]["input"])[0] == {"item": 0, "text": "text 200"}
    assert [answers["risk"].value for answers in answered] == [number / 1000 for number in range(250)]
