"""Answers in a given shape: validated, corrected once, the raw message kept (N1)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Literal

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, Field

from lanekeeper.mainline.langchain import MainlineChatModel
from lanekeeper.mainline.reply import ToolCall
from lanekeeper.mainline.schema import strict_schema
from lanekeeper.mainline.shape import MisfitError
from lanekeeper.mainline.structured import Structured, ask_structured
from tests.unit.mainline.gateway import (
    DONE,
    FINISHED,
    SMALL,
    Book,
    Gateway,
    Play,
    called,
    caller,
    chunk,
    client,
    gateway,
    said,
    stream,
)

AS_TEXT = replace(SMALL, answers="json_schema")
QUESTION = [{"role": "user", "content": "How is this?"}]


class Span(BaseModel):
    first: date
    nights: int = Field(ge=1)


class Verdict(BaseModel):
    """Judge the text."""

    tone: Literal["kind", "rude"]
    span: Span | None = None


def calling(arguments: str, name: str = "Verdict") -> Play:
    return stream(called(name, arguments), chunk({}, "tool_calls"), DONE)


def saying(text: str) -> Play:
    return stream(said(text), FINISHED, DONE)


def body(served: Gateway, request: int = -1) -> Any:
    return json.loads(served.bodies[request])


async def asked(*plays: Play, model: Any = SMALL, **options: Any) -> tuple[Structured[Verdict], Gateway, Book]:
    book = Book()
    async with gateway() as served, client(served.url) as mainline:
        served.plays += plays
        answer = await ask_structured(mainline, model, QUESTION, Verdict, caller(book, feature="judge"), **options)
    return answer, served, book


async def test_a_model_is_made_to_call_a_tool_whose_arguments_are_the_answer():
    answer, served, book = await asked(calling('{"tone":"kind","span":{"first":"2026-11-30","nights":2}}'))
    assert answer.value == Verdict(tone="kind", span=Span(first=date(2026, 11, 30), nights=2))
    assert answer.raw["tool_calls"][0]["function"]["name"] == "Verdict"
    sent = body(served)
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "Verdict"}}
    assert sent["tools"][0]["function"] == {
        "name": "Verdict",
        "description": "Judge the text.",
        "parameters": strict_schema(Verdict),
        "strict": True,
    }
    assert book.only[1] is False


@pytest.mark.parametrize("text", ['{"tone":"rude","span":null}', '```json\n{"tone":"rude","span":null}\n```'])
async def test_a_model_that_can_writes_the_answer_as_its_text(text: str):
    answer, served, _ = await asked(saying(text), model=AS_TEXT)
    assert answer.value == Verdict(tone="rude")
    assert answer.raw == {"role": "assistant", "content": text}
    assert body(served)["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "Verdict", "strict": True, "schema": strict_schema(Verdict)},
    }
    assert "tools" not in body(served)


def test_a_shape_is_sent_strictly_with_everything_in_it_named():
    schema = strict_schema(Verdict)
    assert (schema["required"], schema["additionalProperties"]) == (["tone", "span"], False)
    inner = schema["properties"]["span"]["anyOf"][0]
    assert (inner["required"], inner["additionalProperties"]) == (["first", "nights"], False)
    assert "$ref" not in json.dumps(schema)


def test_a_shape_that_contains_itself_is_refused():
    class Tree(BaseModel):
        leaves: list["Tree"]

    with pytest.raises(ValueError, match="contains itself"):
        strict_schema(Tree)


@pytest.mark.parametrize(
    ("play", "told"),
    [
        (calling('{"tone":"odd","span":null}'), "tone: Input should be 'kind' or 'rude'."),
        (calling('{"tone":"kind"'), "no complete JSON object"),
        (saying("It is kind."), "there was none"),
        (stream(FINISHED, DONE), "there was none"),
        (calling('{"tone":"kind","span":null}', name="Other"), "there was none"),
    ],
)
async def test_an_answer_that_does_not_fit_is_told_why_and_corrected_once(play: Play, told: str):
    answer, served, book = await asked(play, calling('{"tone":"kind","span":null}'))
    assert answer.value == Verdict(tone="kind")
    assert len(book.settled_calls) == 2
    first, second = body(served, 0)["messages"], body(served, 1)["messages"]
    assert second[: len(first)] == first
    assert told in second[-1]["content"]
    calls = [call["id"] for message in second for call in message.get("tool_calls", ())]
    assert calls == [message["tool_call_id"] for message in second if message["role"] == "tool"]


async def test_text_that_does_not_fit_is_corrected_by_a_message():
    _, served, _ = await asked(saying('{"tone":"odd"}'), saying('{"tone":"kind"}'), model=AS_TEXT)
    assert [message["role"] for message in body(served)["messages"]] == ["user", "assistant", "user"]


async def test_a_second_answer_that_does_not_fit_is_an_error_that_quotes_nobody():
    with pytest.raises(MisfitError) as caught:
        await asked(*[calling('{"tone":"secret words","span":null}')] * 2)
    assert "tone" in caught.value.reason
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("model", [SMALL, AS_TEXT])
async def test_an_agent_may_use_tools_before_it_answers_in_shape(model: Any):
    seen: list[ToolCall] = []

    async def act(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
        seen.extend(calls)
        return [{"role": "tool", "tool_call_id": call.id, "content": "It was kind."} for call in calls]

    search = {"type": "function", "function": {"name": "web_search", "parameters": {}}}
    final = saying('{"tone":"kind","span":null}') if model is AS_TEXT else calling('{"tone":"kind","span":null}')
    answer, served, book = await asked(
        calling('{"q":1}', "web_search"), final, model=model, tools=[search], act=act, steps=3
    )
    assert answer.value.tone == "kind"
    assert [call.arguments for call in seen] == [{"q": 1}]
    assert body(served, 1)["messages"][-1] == {"role": "tool", "tool_call_id": "c1", "content": "It was kind."}
    assert body(served, 0)["tools"] == body(served, 1)["tools"]
    assert body(served, 0)["tools"][0] == search
    assert body(served, 0).get("tool_choice") == (None if model is AS_TEXT else "required")
    assert len(book.settled_calls) == 2


async def test_an_agent_that_only_calls_tools_ends_all_the_same_a3():
    async def act(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
        return [{"role": "tool", "tool_call_id": call.id, "content": "Nothing."} for call in calls]

    with pytest.raises(MisfitError, match="no step was left"):
        await asked(*[calling("{}", "web_search")] * 3, tools=[{}], act=act, steps=3)


async def test_langchain_gets_the_answer_its_raw_message_and_one_correction_too():
    async with gateway() as served, client(served.url) as mainline:
        chat = MainlineChatModel(mainline=mainline, model=SMALL, caller=caller(Book()))
        served.plays.append(calling('{"tone":"kind","span":null}'))
        assert await chat.with_structured_output(Verdict).ainvoke("hi") == Verdict(tone="kind")
        raw = chat.with_structured_output(Verdict, include_raw=True)
        served.plays += [calling('{"tone":"odd"}'), calling('{"tone":"kind"}')]
        good = await raw.ainvoke([HumanMessage("hi")])
        assert [message["role"] for message in body(served)["messages"]] == ["user", "assistant", "tool"]
        served.plays += [calling('{"tone":"odd"}')] * 2
        bad = await raw.ainvoke("hi")
        served.plays += [calling('{"tone":"odd"}')] * 2
        with pytest.raises(MisfitError):
            await chat.with_structured_output(Verdict).ainvoke("hi")
    assert good["parsed"] == Verdict(tone="kind")
    assert good["raw"].tool_calls[0]["args"] == {"tone": "kind"}
    assert good["parsing_error"] is None
    assert bad["parsed"] is None
    assert bad["raw"].tool_calls[0]["args"] == {"tone": "odd"}
    assert isinstance(bad["parsing_error"], MisfitError)


async def test_langchain_asks_as_the_catalogue_says():
    async with gateway() as served, client(served.url) as mainline:
        chat = MainlineChatModel(mainline=mainline, model=AS_TEXT, caller=caller(Book()))
        served.plays.append(saying('{"tone":"rude"}'))
        assert await chat.with_structured_output(Verdict).ainvoke("hi") == Verdict(tone="rude")
        assert body(served)["response_format"]["type"] == "json_schema"
