"""LangChain's chat model on top of the client."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.tools import tool

from lanekeeper.mainline.client import Mainline
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.langchain import HELPER_TAG, MainlineChatModel
from lanekeeper.mainline.messages import tool_calls
from tests.unit.mainline.gateway import (
    COUNTED,
    DONE,
    FINISHED,
    SMALL,
    Book,
    called,
    caller,
    chunk,
    client,
    event,
    gateway,
    refuse,
    said,
    stream,
    usage,
)

SEARCH = {
    "type": "function",
    "function": {"name": "web_search", "parameters": {"z": 1, "a": 2}, "description": "d", "strict": True},
}


def model_on(mainline: Mainline, **options: Any) -> MainlineChatModel:
    return MainlineChatModel(mainline=mainline, model=SMALL, caller=caller(Book()), **options)


async def test_chunks_add_up_to_the_whole_message_with_usage_counted_once_b068():
    async with gateway() as served, client(served.url) as mainline:
        totals = [event({"choices": [], "usage": usage(10, count)}) for count in (1, 2, 3)]
        served.plays.append(stream(said("Hel"), totals[0], said("lo"), totals[1], FINISHED, totals[2], DONE))
        chunks = [piece async for piece in model_on(mainline).astream("hi")]
    assert all(isinstance(piece, AIMessageChunk) for piece in chunks)
    assert [piece.text for piece in chunks] == ["Hel", "lo", ""]
    assert [bool(piece.usage_metadata) for piece in chunks] == [False, False, True]
    whole = chunks[0] + chunks[1] + chunks[2]
    assert isinstance(whole, AIMessageChunk)
    assert whole.usage_metadata is not None
    assert (whole.usage_metadata["input_tokens"], whole.usage_metadata["output_tokens"]) == (10, 3)
    assert whole.response_metadata["finish_reason"] == "stop"
    assert whole.response_metadata["model_name"] == "small"


async def test_a_message_at_once_is_the_stream_put_together():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(chunk({"reasoning_content": "hm"}), said("yes"), FINISHED, COUNTED, DONE))
        message = await model_on(mainline).ainvoke([HumanMessage("?")])
    assert type(message) is AIMessage
    assert message.text == "yes"
    assert message.additional_kwargs["reasoning_content"] == "hm"
    assert message.content_blocks[0]["type"] == "reasoning"
    assert message.response_metadata["finish_reason"] == "stop"


async def test_tools_are_sent_as_they_are_in_the_order_given():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(called("web_search", '{"query":"x"}'), chunk({}, "tool_calls"), DONE))
        message = await model_on(mainline).bind_tools([SEARCH]).ainvoke("hi")
        assert json.dumps(SEARCH, separators=(",", ":")).encode() in served.bodies[0]
        assert b"tool_choice" not in served.bodies[0]
    assert message.tool_calls == [{"id": "c1", "name": "web_search", "args": {"query": "x"}, "type": "tool_call"}]


async def test_other_tools_are_converted_strictly():
    @tool
    def clock_now(zone: str) -> str:
        """Tell the time."""
        return zone

    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("x"), FINISHED, DONE))
        await model_on(mainline).bind_tools([clock_now], tool_choice="clock_now").ainvoke("hi")
        body = json.loads(served.bodies[0])
    assert body["tools"][0]["function"]["strict"] is True
    assert body["tools"][0]["function"]["parameters"]["additionalProperties"] is False
    assert body["tool_choice"] == {"type": "function", "function": {"name": "clock_now"}}


@pytest.mark.parametrize("finish", ["length", "tool_calls"])
async def test_arguments_that_were_cut_off_never_become_a_call(finish: str):
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(called("web_search", '{"query":"half'), chunk({}, finish), DONE))
        message = await model_on(mainline).bind_tools([SEARCH]).ainvoke("hi")
    assert message.tool_calls == []
    [call] = tool_calls(message)
    assert (call.id, call.arguments, call.raw) == ("c1", None, '{"query":"half')


async def test_a_helpers_words_are_told_from_the_reply_by_its_tag():
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [stream(said("a"), FINISHED, DONE), stream(said("b"), FINISHED, DONE)]
        helper = MainlineChatModel.helper(mainline, SMALL, caller(Book(), feature="summary"))
        tags = []
        for model in (model_on(mainline), helper):
            events = [e async for e in model.astream_events("hi", version="v2") if e["event"] == "on_chat_model_stream"]
            tags.append({tag for e in events for tag in e["tags"]})
        assert served.header("x-mainline-feature") == "summary"
    assert tags == [set(), {HELPER_TAG}]


async def test_a_failure_reaches_the_caller_as_it_is():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(refuse(429, {}))
        with pytest.raises(MainlineError) as caught:
            await model_on(mainline).ainvoke("hi")
    assert caught.value.kind == "rate_limited"


async def test_a_model_can_be_kept_from_calling_tools_side_by_side():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("x"), FINISHED, DONE))
        await model_on(mainline).bind_tools([SEARCH], parallel_tool_calls=False).ainvoke("hi")
        assert json.loads(served.bodies[0])["parallel_tool_calls"] is False


async def test_a_batch_of_langchains_is_capped_and_keeps_its_order_and_its_failures_n9():
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [stream(said("one"), FINISHED, DONE), refuse(500, {}), stream(said("three"), FINISHED, DONE)]
        answers = await model_on(mainline).abatch(
            ["a", "b", "c"], config={"max_concurrency": 1}, return_exceptions=True
        )
    assert [answers[0].text, answers[2].text] == ["one", "three"]
    assert isinstance(answers[1], MainlineError)


async def test_options_of_the_model_are_part_of_the_request():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("x"), FINISHED, DONE))
        await model_on(mainline, max_tokens=50, temperature=0.0).ainvoke("hi", stop=["END"])
        body = json.loads(served.bodies[0])
    assert (body["max_tokens"], body["temperature"], body["stop"]) == (50, 0.0, ["END"])
    assert list(body)[-1] == "messages"
