"""The client against the dev kit's gateway in a process of its own: text, calls, cache, price, faults, and a search."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from lanekeeper.limits import Limits
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import DEFAULT
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.langchain import MainlineChatModel
from lanekeeper.mainline.reply import Delta, Ending, ToolCall
from lanekeeper.settings import Settings
from tests.devkit.mainline.search import Corpus
from tests.unit.mainline.gateway import Book
from tests.unit.tools.toys import CONTEXT, LIMITS
from toolsets import all_tools

KEYS = {"MAINLINE_AI_KEY": "key-of-this-test", "SEARCH_API_KEY": "search-key-of-this-test"}
SMALL = DEFAULT.models[0]


@dataclass
class Kit:
    """The running fake and a client on it."""

    mainline: Mainline
    settings: Settings
    control: httpx.AsyncClient
    book: Book

    async def script(self, *replies: dict[str, Any], user: str = "ana") -> None:
        told = await self.control.post("/control/model", json={"sub": user, "replies": list(replies)})
        assert told.is_success, told.text

    async def ask(self, body: dict[str, Any]) -> tuple[str, Ending]:
        caller = Caller(user_id="ana", turn_id="turn_1", meter=self.book)
        parts = [part async for part in self.mainline.chat(SMALL, body, caller)]
        assert isinstance(parts[-1], Ending)
        return "".join(part.text for part in parts if isinstance(part, Delta)), parts[-1]


@pytest.fixture
async def kit() -> AsyncIterator[Kit]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *["-m", "tests.devkit.mainline", "--port", "0", "--zero-delay"],
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **KEYS, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert process.stdout
        urls = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))
        settings = Settings.from_environment(
            KEYS
            | {
                "LANEKEEPER_ENVIRONMENT": "dev",
                "MAINLINE_BASE_URL": urls["mainline_url"],
                "SEARCH_BASE_URL": urls["search_url"],
            }
        )
        limits = Limits(provider_timeout_s=1)
        mainline = Mainline(settings.mainline_base_url, settings.mainline_key, limits)
        async with httpx.AsyncClient(base_url=urls["control_url"]) as control:
            yield Kit(mainline, settings, control, Book())
        await mainline.close()
    finally:
        process.terminate()
        await process.wait()


async def test_text_calls_usage_price_and_cache_are_read_as_the_gateway_writes_them(kit: Kit):
    await kit.script(
        {"text": "Grüße, 世界 \u2028 \U0001f600"}, {"text": "On it.", "calls": [{"name": "x_y", "args": {"q": 1}}]}
    )
    body = chat_body([{"role": "system", "content": "be brief " * 300}, {"role": "user", "content": "hello"}])
    text, first = await kit.ask(body)
    assert text == "Grüße, 世界 \u2028 \U0001f600"
    assert first.finish_reason == "stop"
    assert first.usage.reported
    assert first.usage.micros is not None
    text, second = await kit.ask(body)
    assert (text, second.finish_reason) == ("On it.", "tool_calls")
    assert [(call.name, call.arguments) for call in second.calls] == [("x_y", {"q": 1})]
    assert second.usage.cached_tokens > 0
    assert (second.usage.micros or 0) <= first.usage.micros
    assert [failed for _, _, failed in kit.book.settled_calls] == [False, False]


async def test_the_gateway_sees_person_feature_and_the_exact_body(kit: Kit):
    body = chat_body([{"role": "user", "content": "hello"}], tools=all_tools(kit.settings, LIMITS).definitions)
    await kit.ask(body)
    asked = (await kit.control.get("/control/requests", params={"sub": "ana"})).json()
    assert [(request["feature"], request["model"]) for request in asked] == [("chat", "small")]
    assert asked[0]["body"] == kit.book.opened_calls[0].body


@pytest.mark.parametrize(
    ("error", "kind"),
    [(429, "rate_limited"), (500, "unavailable"), (503, "unavailable"), ("timeout", "timeout"), ("cut", "cut")],
)
async def test_every_scripted_fault_is_of_its_kind(kit: Kit, error: object, kind: str):
    await kit.script({"error": error})
    with pytest.raises(MainlineError) as caught:
        await kit.ask(chat_body([{"role": "user", "content": "hello"}]))
    assert (caught.value.kind, caught.value.retryable) == (kind, True)
    assert kit.book.only[1] is True


async def test_the_can_use_list_holds_the_default_catalogue(kit: Kit):
    listed = await kit.mainline.models(timeout_s=5)
    assert {model.gateway_id for model in DEFAULT.models} <= listed


async def test_langchains_model_answers_through_it(kit: Kit):
    await kit.script({"text": "Hello there."})
    model = MainlineChatModel(mainline=kit.mainline, model=SMALL, caller=Caller(user_id="ana", meter=kit.book))
    message = await model.ainvoke("hi")
    assert message.text == "Hello there."
    assert message.usage_metadata is not None
    assert message.usage_metadata["output_tokens"] > 0


async def test_the_search_tool_asks_the_local_vendor(kit: Kit):
    query = Corpus.load().articles[0].title
    outcome = await all_tools(kit.settings, LIMITS).call(ToolCall("c1", "web_search", {"query": query}), CONTEXT)
    assert not outcome.is_error, outcome.content
    assert 1 <= len(outcome.output["results"]) <= 5
    assert all(sorted(result) == ["snippet", "title", "url"] for result in outcome.output["results"])
