"""What the page shows of a turn at work: a tool's own progress, and what the model thinks (N7, N8)."""

import asyncio

import httpx
import pytest
from playwright.async_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

# How long a setting read from the database is believed, and a little.
SETTING_S = 5.5


async def test_a_running_search_says_how_it_gets_on_and_no_longer_once_it_is_over(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"calls": [{"name": "web_search", "args": {"query": "tides"}}]}, {"text": "No luck."})
    tool = visitor.page.locator("details.tool summary")
    async with httpx.AsyncClient(base_url=visitor.system.mainline_url.removesuffix("/v1")) as mainline:
        try:
            await mainline.post("/control/search", json={"error": 500, "delay_s": 1})
            await visitor.write("search for tides")
            await expect(tool).to_contain_text("Trying once more")
            await visitor.settled()
        finally:
            await mainline.post("/control/search", json={})
    await expect(tool).not_to_contain_text("Trying once more")
    before = await visitor.read()
    await visitor.page.reload()
    await expect(visitor.replies).to_contain_text("No luck.")
    assert await visitor.read() == before


async def test_thoughts_are_shown_closed_where_the_model_shows_them_and_stay_after_a_reload(visit: Visit) -> None:
    visitor = await visit()
    models = '{"models": [{"id": "small", "name": "Small", "reasoning": "shown"}, {"id": "large", "name": "Large"}]}'
    await visitor.system.sql(
        "insert into settings (key, value, changed_by) values ('models', %s, 'test') returning key", [models]
    )
    try:
        await asyncio.sleep(SETTING_S)
        await visitor.model({"reasoning": "They greet me. " * 12, "text": "Hello there.", "token_delay_ms": 40})
        await visitor.write("hello")
        thoughts = visitor.page.locator("details.thoughts")
        await expect(thoughts.locator("summary")).to_have_text("Thinking…")
        await visitor.settled()
        await expect(thoughts.locator("summary")).to_have_text("Thoughts")
        await expect(thoughts.locator("p")).to_be_hidden()
        await thoughts.locator("summary").click()
        await expect(thoughts.locator("p")).to_contain_text("They greet me.")
        await expect(visitor.page.get_by_test_id("announcer")).to_have_text("Hello there.")
        await visitor.page.reload()
        await expect(visitor.page.locator("details.thoughts")).to_have_count(1)
        await expect(visitor.replies).to_contain_text("Hello there.")
    finally:
        await visitor.system.sql("delete from settings where key = 'models' returning key")
