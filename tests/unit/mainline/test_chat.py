"""One reply, when all goes well: what is asked, what is read, what is counted."""

import json

import pytest

from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Usage
from lanekeeper.mainline.reply import Delta, Ending
from lanekeeper.mainline.usage import highest
from tests.unit.mainline.gateway import (
    COUNTED,
    DONE,
    FINISHED,
    SMALL,
    Book,
    caller,
    chunk,
    client,
    event,
    gateway,
    read,
    said,
    stream,
    usage,
)


async def test_a_reply_comes_in_pieces_and_ends_once():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(
            stream(chunk({"role": "assistant", "content": ""}), said("Hel", "lo"), FINISHED, COUNTED, DONE)
        )
        parts = [part async for part in mainline.chat(SMALL, {"messages": []}, caller(Book()))]
    assert parts[:2] == [Delta("Hel"), Delta("lo")]
    assert isinstance(parts[2], Ending)
    assert (parts[2].finish_reason, parts[2].usage.output_tokens) == ("stop", 3)
    assert len(parts) == 3


async def test_reasoning_comes_apart_from_the_text():
    async with gateway() as served, client(served.url) as mainline:
        thought = chunk({"reasoning_content": "hm", "thinking_blocks": [{"type": "thinking", "signature": "s"}]})
        served.plays.append(stream(thought, said("yes"), FINISHED, DONE))
        parts = [part async for part in mainline.chat(SMALL, {"messages": []}, caller(Book()))]
    assert parts[:2] == [Delta("", "hm"), Delta("yes")]
    assert isinstance(parts[2], Ending)
    assert parts[2].thinking_blocks == ({"type": "thinking", "signature": "s"},)


async def test_the_request_names_the_gateways_model_the_person_and_the_feature():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("x"), FINISHED, DONE))
        book = Book()
        await read(mainline, book, {"messages": [{"role": "user", "content": "añ"}]}, feature="summary")
        assert served.heads[0].startswith("POST /v1/chat/completions ")
        assert served.header("authorization") == "Bearer sk-test"
        assert served.header("x-mainline-user") == "ana"
        assert served.header("x-mainline-feature") == "summary"
        assert json.loads(served.bodies[0]) == {
            "model": "vendor/small-7",
            "stream": True,
            "stream_options": {"include_usage": True},
            "messages": [{"role": "user", "content": "añ"}],
        }
        assert book.opened_calls[0].body == json.loads(served.bodies[0])
        assert book.opened_calls[0].model == "small"


@pytest.mark.parametrize("user_id", ["eve\r\nx-mainline-user: ana", "ünïcode", "a%0Ab"])
async def test_no_user_id_can_add_or_break_a_header(user_id: str):
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("x"), FINISHED, DONE))
        await read(mainline, Book(), user_id=user_id)
        assert served.heads[0].lower().count("\r\nx-mainline-user:") == 1
        assert (served.header("x-mainline-user") or "").isascii()
        assert served.header("x-mainline-user") != "ana"


async def test_one_connection_serves_call_after_call():
    async with gateway() as served, client(served.url) as mainline:
        for _ in range(3):
            served.plays.append(stream(said("x"), FINISHED, COUNTED, DONE))
            await read(mainline, Book())
        assert served.connections == 1


async def test_a_request_begins_with_the_bytes_of_the_one_before_it_b072():
    first = [{"role": "system", "content": "s"}, {"role": "user", "content": "one"}]
    second = [*first, {"role": "assistant", "content": "1"}, {"role": "user", "content": "two"}]
    async with gateway() as served, client(served.url) as mainline:
        for messages in (first, second):
            served.plays.append(stream(said("1"), FINISHED, DONE))
            await read(mainline, Book(), {"tools": [{"type": "function"}], "messages": messages})
        assert served.bodies[1].startswith(served.bodies[0].removesuffix(b"]}"))


@pytest.mark.parametrize(
    ("chunks", "counted"),
    [
        pytest.param([usage(10, 1), usage(10, 2), usage(10, 3)], (10, 0, 3), id="running totals"),
        pytest.param([usage(10, 3)], (10, 0, 3), id="once at the end"),
        pytest.param(
            [
                usage(10, 0, cache_read_input_tokens=8),
                usage(10, 3, prompt_tokens_details={"cached_tokens": 8}, cache_read_input_tokens=8),
            ],
            (10, 8, 3),
            id="cache reads in two events",
        ),
    ],
)
async def test_usage_in_a_stream_is_never_added_up_b068(chunks: list[dict[str, int]], counted: tuple[int, int, int]):
    async with gateway() as served, client(served.url) as mainline:
        counts = [event({"choices": [], "usage": count}) for count in chunks]
        served.plays.append(stream(counts[0], said("a"), FINISHED, *counts[1:], DONE))
        book = Book()
        _, ending = await read(mainline, book)
    spent, failed = book.only
    assert (spent.input_tokens, spent.cached_tokens, spent.output_tokens) == counted
    assert (spent.reported, failed) == (True, False)
    assert ending.usage == spent


async def test_a_call_without_usage_is_estimated_by_what_the_last_one_came_to_b070():
    question = {"messages": [{"role": "user", "content": "她周末常去北京西边" * 30}]}
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [
            stream(said("x"), FINISHED, DONE),
            stream(said("x"), FINISHED, event({"choices": [], "usage": usage(600, 1)}), DONE),
            stream(said("x"), FINISHED, DONE),
        ]
        books = [Book(), Book(), Book()]
        for book in books:
            await read(mainline, book, question)
    guessed, counted, corrected = (book.only[0] for book in books)
    assert (guessed.reported, counted.reported, corrected.reported) == (False, True, False)
    assert guessed.input_tokens < 500
    assert corrected.input_tokens == pytest.approx(600, abs=2)


async def test_missing_usage_is_estimated_and_says_so_b068():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("twelve chars"), FINISHED, DONE))
        book = Book()
        _, ending = await read(mainline, book, {"messages": [{"role": "user", "content": "x" * 400}]})
    spent, _ = book.only
    assert not spent.reported
    assert 100 < spent.input_tokens < 200
    assert spent.output_tokens == 3
    assert ending.usage == spent


@pytest.mark.parametrize(
    ("header", "cost", "micros"),
    [
        pytest.param(None, 0.000123, 123, id="in the last chunk"),
        pytest.param("0.0000456", None, 46, id="in a header"),
        pytest.param("0", None, None, id="a header that does not know yet"),
        pytest.param("soon", "NaN", None, id="no number"),
        pytest.param(None, -1, None, id="below zero"),
        pytest.param(None, None, None, id="nowhere"),
    ],
)
async def test_the_price_is_what_the_gateway_says(header: str | None, cost: object, micros: int | None):
    async with gateway() as served, client(served.url) as mainline:
        headers = {"x_litellm_response_cost": header} if header else {}
        last = event({"choices": [], "usage": usage(10, 3, cost=cost)})
        served.plays.append(stream(said("a"), FINISHED, last, DONE, **headers))
        book = Book()
        await read(mainline, book)
    assert book.only[0].micros == micros


@pytest.mark.parametrize(
    ("reason", "known"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("refusal", "content_filter"),
        ("eos", "other"),
    ],
)
async def test_the_stop_reason_is_one_of_a_few(reason: str, known: str):
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("a"), chunk({}, reason), DONE))
        _, ending = await read(mainline, Book())
    assert ending.finish_reason == known


async def test_text_is_storable_however_it_was_cut():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(stream(said("a\0b \ud83d", "\ude00 \udc00", " \ud83d"), FINISHED, DONE))
        text, _ = await read(mainline, Book())
    assert text == "ab \U0001f600 \ufffd \ufffd"


async def test_a_meter_that_refuses_stops_the_call_before_it_is_made():
    class Closed(Book):
        async def opened(self, call: Call) -> None:
            raise PermissionError

    async with gateway() as served, client(served.url) as mainline:
        with pytest.raises(PermissionError):
            await read(mainline, Closed())
        assert served.heads == []


async def test_the_can_use_list_is_read_from_the_gateway():
    async def play(answer):  # type: ignore[no-untyped-def]
        await answer.head()
        await answer.send(json.dumps({"data": [{"id": "small"}, {"id": "large"}, "odd"]}).encode())
        await answer.end()

    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(play)
        assert await mainline.models(timeout_s=5) == {"small", "large"}
        assert served.heads[0].startswith("GET /v1/models ")


@pytest.mark.parametrize(
    "reported",
    [
        {"prompt_tokens": 10**10},
        {"cost": 1e30},
        {"cost": "a lot"},
        {"prompt_tokens": -1, "prompt_tokens_details": [1], "completion_tokens_details": "x"},
    ],
)
def test_a_usage_that_cannot_be_counts_for_nothing(reported: dict[str, object]) -> None:
    assert highest(Usage(), reported) == Usage()
