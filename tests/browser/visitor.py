"""One person in front of the page: what they do, and what they read."""

from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import ConsoleMessage, Locator, Page, Request, expect

from tests.devkit.system import System

# What Chromium itself writes about a line that a test breaks on purpose.
_BROKEN_LINE = "Failed to load resource: net::ERR_"


class Visitor:
    """Watches the page for errors of any kind, and for requests to other hosts than ours."""

    def __init__(self, page: Page, system: System, sub: str) -> None:
        self.page = page
        self.system = system
        self.sub = sub
        self.errors: list[str] = []
        # Words of the browser's own line about a refusal that the test asks for.
        self.expected = _BROKEN_LINE
        self.strangers: set[str] = set()
        self.watch(page)

    def watch(self, page: Page) -> None:
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._asked)

    async def open(self, conversation_id: str | None = None) -> None:
        await self.page.goto(f"{self.system.url}/{f'#/c/{conversation_id}' if conversation_id else ''}")

    async def sign_in(self) -> None:
        # The local issuer takes the name for the person, so a test can script the model for them.
        await self.page.get_by_label("Your name").fill(self.sub)
        await self.page.get_by_role("button", name="Start chatting").click()
        await expect(self.page.get_by_role("button", name="Sign out")).to_be_attached()

    async def another_tab(self) -> Page:
        """The same person, the same conversation, a second tab: it has to sign in, as tabs keep that apart."""
        tab = await self.page.context.new_page()
        self.watch(tab)
        await tab.goto(self.page.url)
        await tab.get_by_label("Your name").fill(self.sub)
        await tab.get_by_role("button", name="Start chatting").click()
        return tab

    async def model(self, *replies: dict[str, Any]) -> None:
        """What the model answers this person next."""
        await self.system.model(*replies, sub=self.sub)

    async def write(self, text: str) -> None:
        await self.page.get_by_role("textbox", name="Message").fill(text)
        await self.page.keyboard.press("Enter")

    @property
    def mine(self) -> Locator:
        return self.page.locator(".message.mine > p")

    @property
    def replies(self) -> Locator:
        return self.page.locator(".message.reply")

    @property
    def typing(self) -> Locator:
        return self.page.get_by_test_id("typing")

    async def settled(self) -> None:
        """The turn is over: nothing types any more."""
        await expect(self.typing).to_have_count(0, timeout=20_000)

    async def conversation_id(self) -> str:
        await self.page.wait_for_url("**/#/c/*")
        return self.page.url.rpartition("/")[2]

    async def read(self) -> list[tuple[str, str]]:
        """Who said what on the page, top to bottom."""
        return [
            ("user" if "mine" in str(await message.get_attribute("class")) else "assistant", await _words(message))
            for message in await self.page.locator(".message").all()
        ]

    async def stored(self) -> list[tuple[str, str]]:
        """Who said what in the transcript."""
        items = await self.system.transcript(self.sub, await self.conversation_id())
        return [
            (item["role"], " ".join(part["text"] for part in item["parts"] if part["type"] == "text")) for item in items
        ]

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and _BROKEN_LINE not in message.text and self.expected not in message.text:
            self.errors.append(message.text)

    def _asked(self, request: Request) -> None:
        host = urlsplit(request.url).netloc
        if host and host != urlsplit(self.system.url).netloc:
            self.strangers.add(host)


async def _words(message: Locator) -> str:
    return " ".join([await each.inner_text() for each in await message.locator("> p, .said > p, .reply-text").all()])
