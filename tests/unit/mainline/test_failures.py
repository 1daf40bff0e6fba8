"""One reply, when something goes wrong: what kind of failure it is, whether to try again, and what it cost."""

import asyncio
import socket
from contextlib import aclosing
from typing import Any

import pytest

from lanekeeper.mainline.errors import MainlineError, retry_after_s
from lanekeeper.settings import Secret
from tests.unit.mainline.gateway import (
    COUNTED,
    DONE,
    FINISHED,
    SMALL,
    Answer,
    Book,
    Play,
    caller,
    chunk,
    client,
    event,
    gateway,
    read,
    refuse,
    said,
    stream,
)

SHORT = {"provider_timeout_s": 0.1, "provider_total_s": 30.0}


async def failure_of(play: Play, **limits: float) -> tuple[MainlineError, Book]:
    async with gateway() as served, client(served.url, **limits) as mainline:
        served.plays.append(play)
        book = Book()
        with pytest.raises(MainlineError) as caught:
            await read(mainline, book, {"messages": [{"role": "user", "content": "x" * 40}]})
    return caught.value, book


async def never(answer: Answer) -> None:
    await asyncio.Event().wait()


async def silent_after_a_word(answer: Answer) -> None:
    await answer.head()
    await answer.send(said("twelve chars"))
    await asyncio.Event().wait()


async def only_comments(answer: Answer) -> None:
    await answer.head()
    while True:
        await answer.send(b": still here\n\n")
        await asyncio.sleep(0.01)


async def endless(answer: Answer) -> None:
    await answer.head()
    while True:
        await answer.send(said("la"))
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("play", [never, silent_after_a_word, only_comments])
async def test_a_silent_provider_is_a_failure_that_may_be_tried_again_b031(play: Play):
    error, book = await failure_of(play, **SHORT)
    assert (error.kind, error.retryable) == ("timeout", True)
    spent, failed = book.only
    assert failed
    assert spent.input_tokens > 10


async def test_a_call_has_a_limit_in_all_however_busy_it_is():
    error, book = await failure_of(endless, provider_timeout_s=30.0, provider_total_s=0.1)
    assert error.kind == "timeout"
    assert book.only[0].output_tokens > 0


async def cut_after_a_word(answer: Answer) -> None:
    await answer.head()
    await answer.send(said("twelve chars"))
    answer.cut()


@pytest.mark.parametrize("play", [cut_after_a_word, stream(said("twelve chars")), stream(said("twelve chars"), DONE)])
async def test_a_stream_that_breaks_off_is_cut_and_what_it_wrote_is_counted(play: Play):
    error, book = await failure_of(play)
    assert (error.kind, error.retryable) == ("cut", True)
    spent, failed = book.only
    assert failed
    assert not spent.reported
    assert spent.output_tokens == 3


async def test_a_reply_whose_model_was_done_is_whole_though_the_connection_breaks():
    async def play(answer: Answer) -> None:
        await answer.head()
        await answer.send(said("all of it") + FINISHED)
        answer.cut()

    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(play)
        book = Book()
        text, ending = await read(mainline, book)
    assert (text, ending.finish_reason, ending.usage.reported) == ("all of it", "stop", False)
    assert book.only[1] is False


@pytest.mark.parametrize(
    ("status", "body", "kind", "retryable", "reason"),
    [
        (
            429,
            {"error": {"message": "slow", "code": "rate_limit_exceeded"}},
            "rate_limited",
            True,
            "rate_limit_exceeded",
        ),
        (429, {"error": {"code": "insufficient_quota"}}, "refused", False, "insufficient_quota"),
        (400, {"error": {"type": "budget_exceeded", "code": "400"}}, "refused", False, "budget_exceeded"),
        (400, {"error": {"code": "context_length_exceeded"}}, "invalid", False, "context_length_exceeded"),
        (422, {"detail": "no"}, "invalid", False, ""),
        (413, b"too large", "invalid", False, ""),
        (401, {"error": {"code": "invalid_api_key"}}, "refused", False, "invalid_api_key"),
        (403, {"error": {"code": "model_not_allowed"}}, "refused", False, "model_not_allowed"),
        (404, {"error": None}, "refused", False, ""),
        (500, b"<html>", "unavailable", True, ""),
        (503, {"error": {"message": "x", "type": "overloaded_error"}}, "unavailable", True, "overloaded_error"),
        (302, {}, "unavailable", True, ""),
    ],
)
async def test_a_refused_call_is_of_one_kind_and_costs_nothing(
    status: int, body: Any, kind: str, retryable: bool, reason: str
):
    error, book = await failure_of(refuse(status, body))
    assert (error.kind, error.retryable, error.reason, error.status) == (kind, retryable, reason, status)
    spent, failed = book.only
    assert failed
    assert (spent.input_tokens, spent.output_tokens, spent.micros) == (0, 0, None)


@pytest.mark.parametrize("status", [408, 504])
async def test_a_provider_that_the_gateway_gave_up_on_may_have_cost_something(status: int):
    error, book = await failure_of(refuse(status, {}))
    assert (error.kind, error.retryable) == ("timeout", True)
    assert book.only[0].input_tokens > 0


@pytest.mark.parametrize(
    ("code", "kind"),
    [("429", "rate_limited"), (503, "unavailable"), ("overloaded", "unavailable"), (None, "unavailable")],
)
async def test_an_error_inside_a_stream_fails_the_call(code: object, kind: str):
    error, _ = await failure_of(stream(said("a"), event({"error": {"message": "secret words", "code": code}})))
    assert (error.kind, error.retryable) == (kind, True)


@pytest.mark.parametrize(
    "junk",
    [
        event("{not json"),
        event([1, 2]),
        event({"choices": 7}),
        event({"choices": ["text"]}),
        chunk({"tool_calls": "none"}),
        event({"choices": [{"delta": "text"}]}),
    ],
)
async def test_an_answer_that_is_no_chat_completion_is_a_failure(junk: bytes):
    error, _ = await failure_of(stream(junk, FINISHED, DONE))
    assert (error.kind, error.retryable) == ("unavailable", True)


async def test_an_event_without_end_is_not_read_for_ever():
    async def flood(answer: Answer) -> None:
        await answer.head()
        await answer.send(b"data: ")
        for _ in range(100):
            await answer.send(b"x" * 1000)
        await never(answer)

    error, _ = await failure_of(flood, provider_event_bytes=50_000)
    assert error.kind == "cut"


async def test_a_failure_repeats_nothing_that_a_provider_or_a_person_wrote():
    error, _ = await failure_of(
        refuse(400, {"error": {"message": "my card 4111", "code": "my card 4111", "type": "t"}})
    )
    assert "4111" not in f"{error} {error.reason} {vars(error)}"


async def test_a_gateway_that_is_not_there_is_unavailable():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    async with client(f"http://127.0.0.1:{port}/v1") as mainline:
        book = Book()
        with pytest.raises(MainlineError) as caught:
            await read(mainline, book)
        with pytest.raises(MainlineError):
            await mainline.models(timeout_s=1)
    assert (caught.value.kind, caught.value.retryable) == ("unavailable", True)
    assert book.only[0].input_tokens == 0


async def test_a_wait_that_the_gateway_asks_for_is_known():
    error, _ = await failure_of(refuse(429, {}, retry_after="7"))
    assert error.retry_after_s == 7


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("", None), ("7", 7), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("-3", None), ("1.5", None)],
)
def test_a_retry_after_header_is_seconds_or_a_date(header: str, seconds: int | None):
    assert retry_after_s(header) == seconds


async def test_the_client_asks_once_and_leaves_trying_again_to_others():
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [refuse(503, {}), stream(said("a"), FINISHED, COUNTED, DONE)]
        with pytest.raises(MainlineError):
            await read(mainline, Book())
        assert len(served.heads) == 1


async def test_a_key_that_was_changed_where_it_is_kept_is_read_again(monkeypatch: pytest.MonkeyPatch):
    keys = iter(["old", "new"])
    monkeypatch.setattr("lanekeeper.aws.secret_value", lambda _arn, _region: next(keys))
    async with gateway() as served, client(served.url, Secret(arn="arn:x")) as mainline:
        served.plays += [refuse(401, {}), stream(said("a"), FINISHED, DONE)]
        with pytest.raises(MainlineError) as caught:
            await read(mainline, Book())
        assert caught.value.retryable
        await read(mainline, Book())
        assert served.header("authorization", 0) == "Bearer old"
        assert served.header("authorization", 1) == "Bearer new"


async def test_a_call_that_is_left_early_is_counted_and_did_not_fail():
    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(silent_after_a_word)
        book = Book()
        async with aclosing(mainline.chat(SMALL, {"messages": []}, caller(book))) as parts:
            await anext(parts)
    spent, failed = book.only
    assert (spent.output_tokens, failed) == (3, False)


async def test_a_call_that_is_cancelled_is_counted_and_hangs_up():
    hung_up = asyncio.Event()

    async def play(answer: Answer) -> None:
        try:
            await answer.head()
            while True:
                await answer.send(said("la"))
                await asyncio.sleep(0.01)
        except ConnectionError:
            hung_up.set()

    async with gateway() as served, client(served.url) as mainline:
        served.plays.append(play)
        book, begun = Book(), asyncio.Event()

        async def consume() -> None:
            async for _ in mainline.chat(SMALL, {"messages": []}, caller(book)):
                begun.set()

        task = asyncio.create_task(consume())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert book.only[1] is False
        await asyncio.wait_for(hung_up.wait(), 5)
