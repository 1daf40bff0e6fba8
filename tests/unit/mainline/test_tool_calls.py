"""The calls of a reply, however a provider writes them."""

from typing import Any

import pytest

from lanekeeper.mainline.reply import ToolCall
from tests.unit.mainline.gateway import DONE, Book, chunk, client, gateway, read, said, stream


def piece(index: int | None = 0, call_id: str | None = None, name: str | None = None, arguments: Any = None) -> bytes:
    call: dict[str, Any] = {"function": {"name": name, "arguments": arguments}}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call["id"] = call_id
    return chunk({"tool_calls": [call]})


async def calls_of(*pieces: bytes, finish: str = "tool_calls") -> tuple[ToolCall, ...]:
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(*pieces, chunk({}, finish), DONE))
        _, ending = await read(mainline, Book())
    return ending.calls


async def test_calls_written_in_pieces_are_put_together_in_their_order():
    calls = await calls_of(
        said("Let me look."),
        piece(0, "a", "web_search", ""),
        piece(0, arguments='{"que'),
        piece(1, "b", "clock_now", "{}"),
        piece(0, arguments='ry":"x"}'),
    )
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("a", "web_search", {"query": "x"}),
        ("b", "clock_now", {}),
    ]


@pytest.mark.parametrize("index", [0, None])
async def test_another_id_is_another_call_though_its_index_is_the_same(index: int | None):
    calls = await calls_of(piece(index, "a", "clock_now", "{}"), piece(index, "b", "clock_now", '{"timezone":"UTC"}'))
    assert [(call.id, call.arguments) for call in calls] == [("a", {}), ("b", {"timezone": "UTC"})]


async def test_every_call_has_an_id_of_its_own():
    calls = await calls_of(piece(0, "a", "x_x", "{}"), piece(1, "a", "x_x", "{}"), piece(2, None, "x_x", "{}"))
    assert calls[0].id == "a"
    assert all(calls[0].id != call.id for call in calls[1:])
    assert len({call.id for call in calls}) == 3


async def test_no_arguments_are_an_empty_object():
    calls = await calls_of(piece(0, "a", "clock_now"))
    assert calls[0].arguments == {}


async def test_arguments_that_come_whole_are_taken_whole():
    calls = await calls_of(piece(0, "a", "x_x", {"b": 1, "a": 2}))
    assert calls[0].arguments == {"a": 2, "b": 1}


@pytest.mark.parametrize("raw", ['{"query":"never fin', "[1]", "null", '"text"', '{"x":NaN}', "{}{}"])
async def test_arguments_that_are_no_whole_json_object_are_never_guessed(raw: str):
    calls = await calls_of(piece(0, "a", "x_x", raw), finish="length")
    assert calls[0].arguments is None
    assert calls[0].raw == raw


async def test_arguments_are_storable_and_in_one_form():
    calls = await calls_of(piece(0, "a", "x_x", '{"b":1.0,"a":{"z":"\\u0000n","y":"\\ud83d"}}'))
    assert calls[0].arguments == {"a": {"y": "\ufffd", "z": "n"}, "b": 1}
    assert list(calls[0].arguments or {}) == ["a", "b"]
