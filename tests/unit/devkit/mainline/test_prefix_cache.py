"""The prefix cache: what it shares, for how long, and between whom."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.prefix_cache import BLOCK_TOKENS, PrefixCache
from tests.devkit.mainline.prompt import render, tokens
from tests.unit.devkit.mainline.conftest import Gateway

SYSTEM = {"role": "system", "content": "You are kind. " * 200}
FIRST = [SYSTEM, {"role": "user", "content": "hello"}]
TOOLS = [{"type": "function", "function": {"name": "web_search", "parameters": {}}}]


async def cached(gateway: Gateway, **body: Any) -> int:
    usage = (await gateway.chat(**body)).json()["usage"]
    return int(usage["prompt_tokens_details"]["cached_tokens"])


async def test_the_second_request_finds_what_it_shares_with_the_first(gateway: Gateway) -> None:
    assert await cached(gateway, messages=FIRST) == 0
    longer = [*FIRST, {"role": "assistant", "content": "hi"}, {"role": "user", "content": "and now?"}]
    shared = await cached(gateway, messages=longer)
    whole = (await gateway.requests())[-1]
    assert shared == whole["cached_tokens"]
    assert shared % BLOCK_TOKENS == 0
    assert whole["input_tokens"] - 2 * BLOCK_TOKENS < shared < whole["input_tokens"]


async def test_a_change_early_in_the_prompt_loses_everything_after_it(gateway: Gateway) -> None:
    """B072: tools come before messages, so another tool order costs the whole prefix."""
    await cached(gateway, messages=FIRST, tools=TOOLS)
    other = [{"type": "function", "function": {"name": "clock_now", "parameters": {}}}, *TOOLS]
    assert await cached(gateway, messages=FIRST, tools=other) == 0
    assert await cached(gateway, messages=FIRST, tools=TOOLS) > 0


async def test_each_model_has_a_cache_of_its_own(gateway: Gateway) -> None:
    await cached(gateway, messages=FIRST)
    assert await cached(gateway, messages=FIRST, model="large") == 0


async def test_a_cached_prompt_is_cheaper(gateway: Gateway) -> None:
    await gateway.script({"text": "a"}, {"text": "a"})
    costs = [float((await gateway.chat(messages=FIRST)).headers["x-litellm-response-cost"]) for _ in range(2)]
    assert costs[1] < costs[0] / 2


async def test_an_hour_without_use_ends_it_and_every_use_begins_the_hour_anew(gateway: Gateway) -> None:
    await cached(gateway, messages=FIRST)
    for _ in range(3):
        await gateway.control("clock", advance_s=55 * 60)
        assert await cached(gateway, messages=FIRST) > 0
    await gateway.control("clock", advance_s=60 * 60)
    assert await cached(gateway, messages=FIRST) == 0


async def test_a_call_that_was_turned_away_leaves_no_trace_in_the_cache(gateway: Gateway) -> None:
    await gateway.script({"error": 503})
    await gateway.chat(messages=FIRST)
    assert await cached(gateway, messages=FIRST) == 0


async def test_cache_marks_do_not_count_as_text(gateway: Gateway) -> None:
    """C1: the mark moves to the end of the newest turn, and the text before it stays the same."""
    mark = {"cache_control": {"type": "ephemeral"}}
    marked = [{"role": "system", "content": [{"type": "text", "text": SYSTEM["content"], **mark}]}, FIRST[1]]
    await cached(gateway, messages=marked)
    assert await cached(gateway, messages=FIRST) > 0


async def test_the_clock_can_be_set_and_requests_are_dated_by_it(gateway: Gateway) -> None:
    answer = await gateway.control("clock", now="2031-05-06T07:08:09Z")
    assert answer["now"].startswith("2031-05-06T07:08:09")
    await gateway.chat()
    assert (await gateway.requests())[0]["at"].startswith("2031-05-06T07:08:")


def test_chinese_is_not_counted_as_a_quarter_of_what_it_is() -> None:
    """B070: a thousand Chinese letters are some 750 tokens, a thousand English ones 250."""
    assert tokens("a" * 1000) == 250
    assert tokens("北" * 1000) == 750


def test_an_image_weighs_what_images_weigh() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 500_000}}
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "what is it?"}, image]}]}
    assert 765 < tokens(render(b"", body)) < 800


@given(st.text(max_size=2000), st.text(max_size=600), st.text(max_size=600))
def test_the_cache_never_tells_more_than_was_shared(shared: str, one: str, other: str) -> None:
    cache = PrefixCache(Clock())
    first, second = ((shared + end).encode("utf-8", "surrogatepass") for end in (one, other))
    cache.write("small", first)
    common = next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    known = cache.read("small", second) * 4
    assert known <= common
    assert common - known < 4 * BLOCK_TOKENS
