"""The web chat when the line, the page or the person goes away in mid-turn: nothing lost, nothing twice."""

import asyncio
import os
import signal

import pytest
from playwright.async_api import Route, expect

from lanekeeper.limits import Limits
from tests.browser.conftest import Visit
from tests.browser.visitor import Visitor
from tests.devkit.system import System

pytestmark = pytest.mark.browser

LONG = " ".join(f"word{n}" for n in range(80))


async def test_a_reload_in_mid_turn_joins_the_reply_again(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 60})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("word3")
    await visitor.page.reload()
    await expect(visitor.typing).to_be_visible()
    await expect(visitor.replies).to_contain_text("word3")
    await visitor.settled()
    assert await visitor.read() == [("user", "hello"), ("assistant", LONG)] == await visitor.stored()


async def test_a_reload_keeps_what_waits_behind_the_running_reply_below_it(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 60}, {"text": "The second answer."})
    await visitor.write("first")
    await expect(visitor.replies).to_contain_text("word3")
    await visitor.write("second")
    await expect(visitor.page.get_by_text("Next in line")).to_be_visible()
    await visitor.page.reload()
    await expect(visitor.page.locator(".message.pending")).to_contain_text("second")
    await expect(visitor.replies.last).to_contain_text("The second answer.", timeout=20_000)
    await visitor.settled()
    expected = [("user", "first"), ("assistant", LONG), ("user", "second"), ("assistant", "The second answer.")]
    assert await visitor.read() == expected == await visitor.stored()


async def test_what_is_written_offline_is_sent_once_when_the_line_is_back(visit: Visit, system: System) -> None:
    visitor = await visit()
    await visitor.model({"text": "Here."})
    await visitor.page.context.set_offline(True)
    await visitor.write("hello")
    await expect(visitor.page.get_by_text("Waiting for the connection")).to_be_visible()
    await expect(visitor.page.get_by_text("You are offline.")).to_be_visible()
    assert await _messages_of(visitor) == 0
    await visitor.page.context.set_offline(False)
    await expect(visitor.replies).to_contain_text("Here.")
    await visitor.settled()
    assert await _messages_of(visitor) == 1
    assert await visitor.read() == [("user", "hello"), ("assistant", "Here.")] == await visitor.stored()


async def test_what_is_written_offline_outlives_a_reload(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": "Here."})
    await visitor.page.route("**/chat", lambda route: route.abort())
    await visitor.write("hello")
    await expect(visitor.page.get_by_text("Waiting for the connection")).to_be_visible()
    await visitor.page.reload()
    await expect(visitor.mine).to_have_text("hello")
    await visitor.page.unroute("**/chat")
    await expect(visitor.replies).to_contain_text("Here.", timeout=15_000)
    assert await _messages_of(visitor) == 1


async def test_an_answer_lost_on_its_way_does_not_send_the_message_twice(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": "Once."})
    lost = 0

    async def lose(route: Route) -> None:
        nonlocal lost
        lost += 1
        if lost > 2:
            await route.continue_()
            return
        await route.fetch()
        await route.abort()

    await visitor.page.route("**/chat", lose)
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("Once.", timeout=15_000)
    await visitor.settled()
    assert lost == 3
    assert await _messages_of(visitor) == 1
    assert await visitor.read() == [("user", "hello"), ("assistant", "Once.")]


async def test_a_stream_function_that_dies_in_mid_reply_is_not_noticed(visit: Visit, system: System) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 60})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("word3")
    for process in (await system.sandboxes())["stream"]["pids"]:
        os.kill(process, signal.SIGKILL)
    await visitor.settled()
    assert await visitor.read() == [("user", "hello"), ("assistant", LONG)] == await visitor.stored()


async def test_a_line_that_is_away_for_a_while_in_mid_reply_says_so_and_is_healed(visit: Visit, system: System) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 60})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("word3")
    # Going offline breaks no stream that is open already, so the other end does.
    await visitor.page.context.set_offline(True)
    for process in (await system.sandboxes())["stream"]["pids"]:
        os.kill(process, signal.SIGKILL)
    await expect(visitor.page.get_by_text("The connection was lost.")).to_be_visible()
    await visitor.page.context.set_offline(False)
    await expect(visitor.page.get_by_text("The connection was lost.")).to_have_count(0)
    await visitor.settled()
    assert await visitor.read() == [("user", "hello"), ("assistant", LONG)] == await visitor.stored()


async def test_a_second_tab_shows_the_running_reply_and_what_is_sent_in_the_first(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 60}, {"text": "The second answer."})
    await visitor.write("first")
    await expect(visitor.replies).to_contain_text("word3")
    tab = await visitor.another_tab()
    reply = tab.locator(".message.reply")
    await expect(reply).to_contain_text("word5")
    assert "word79" not in await reply.inner_text()
    await expect(reply).to_contain_text("word79", timeout=15_000)
    await visitor.write("second")
    await expect(reply.last).to_contain_text("The second answer.", timeout=15_000)
    await expect(tab.locator(".message.mine > p")).to_have_text(["first", "second"])
    await visitor.settled()
    assert len(await visitor.read()) == 4


async def test_leaving_a_conversation_does_not_stop_its_turn(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": LONG, "token_delay_ms": 40})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("word3")
    await visitor.page.get_by_role("link", name="New conversation").click()
    await expect(visitor.replies).to_have_count(0)
    await visitor.page.get_by_role("navigation").get_by_role("link", name="hello").click()
    await expect(visitor.replies).to_contain_text("word79", timeout=15_000)
    await visitor.settled()
    assert await visitor.read() == [("user", "hello"), ("assistant", LONG)] == await visitor.stored()


async def test_a_worker_that_dies_in_mid_reply_leaves_one_whole_reply_on_the_page(visit: Visit, system: System) -> None:
    visitor = await visit()
    await system.kill("worker", "mid_stream")
    await visitor.model({"text": "The whole reply."}, {"text": "The whole reply."})
    await visitor.write("hello")
    while await system.orders():
        await asyncio.sleep(0.05)
    await system.advance(Limits().lease_s + 1)
    await system.tick()
    await visitor.settled()
    assert (await visitor.read()) == await visitor.stored()
    assert await visitor.mine.count() == await visitor.replies.count() == 1


async def _messages_of(visitor: Visitor) -> int:
    rows = await visitor.system.sql("select count(*) as n from inbox where user_id = %s", [visitor.sub])
    return int(rows[0]["n"])
