"""The page around the chat: signing in at an issuer, a stage prefix, phones, and people who cannot see or point."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.async_api import Route, expect

from tests.browser.conftest import Visit, missing
from tests.browser.visitor import Visitor
from tests.devkit.system import System

pytestmark = pytest.mark.browser

AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
EVERYTHING = """# All of it

1. a [link](https://example.org)

| a | b |
|---|---|
| 1 | 2 |

```py
x = 1
```

> said
"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


class Issuer:
    """An OpenID provider on the page's own origin, as far as the browser sees one."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.authorizations: list[dict[str, str]] = []
        self.exchanges: list[dict[str, str]] = []

    async def open(self) -> None:
        url = self.visitor.system.url
        config = {
            "mode": "oidc",
            "issuer": f"{url}/issuer",
            "clientId": "lanekeeper-web",
            "authorizationEndpoint": f"{url}/issuer/authorize",
            "tokenEndpoint": f"{url}/issuer/token",
            "scopes": "openid profile",
        }
        await self.visitor.page.route("**/config.json", lambda route: route.fulfill(json=config))
        await self.visitor.page.route("**/issuer/authorize?*", self._authorize)
        await self.visitor.page.route("**/issuer/token", self._exchange)

    async def _authorize(self, route: Route) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
        self.authorizations.append(query)
        back = f"{query['redirect_uri']}?{urlencode({'code': 'code-1', 'state': query['state']})}"
        # Chromium follows no redirect that a test makes up, so this page of the issuer goes on by itself.
        await route.fulfill(content_type="text/html", body=f"<script>location.replace({json.dumps(back)})</script>")

    async def _exchange(self, route: Route) -> None:
        form = {name: values[0] for name, values in parse_qs(route.request.post_data or "").items()}
        self.exchanges.append(form)
        token = await self.visitor.system.token(self.visitor.sub)
        await route.fulfill(json={"access_token": token, "refresh_token": "refresh-1", "token_type": "Bearer"})


async def test_signing_in_at_an_issuer_uses_a_code_with_its_proof_and_comes_back_to_the_page(visit: Visit) -> None:
    visitor = await visit(signed_in=False)
    issuer = Issuer(visitor)
    await issuer.open()
    await visitor.page.reload()
    await visitor.page.get_by_role("button", name="Sign in").click()
    await expect(visitor.page.get_by_role("button", name="Sign out")).to_be_visible()
    (asked,) = issuer.authorizations
    assert asked["response_type"] == "code"
    assert asked["code_challenge_method"] == "S256"
    assert asked["scope"] == "openid profile"
    assert asked["redirect_uri"] == f"{visitor.system.url}/"
    (exchanged,) = issuer.exchanges
    assert exchanged["grant_type"] == "authorization_code"
    assert exchanged["code"] == "code-1"
    assert len(exchanged["code_verifier"]) >= 43
    assert "code=" not in visitor.page.url
    await visitor.model({"text": "Hello."})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("Hello.")


async def test_a_code_that_nobody_here_asked_for_is_refused(visit: Visit) -> None:
    visitor = await visit(signed_in=False)
    issuer = Issuer(visitor)
    await issuer.open()
    await visitor.page.goto(f"{visitor.system.url}/?code=stolen&state=made-up")
    await expect(visitor.page.get_by_role("alert")).to_contain_text("This sign-in was not begun here.")
    assert issuer.exchanges == []
    assert "code=" not in visitor.page.url


async def test_a_refused_token_is_renewed_without_a_word(visit: Visit) -> None:
    visitor = await visit(signed_in=False)
    visitor.expected = "401 (Unauthorized)"
    issuer = Issuer(visitor)
    await issuer.open()
    await visitor.page.reload()
    await visitor.page.get_by_role("button", name="Sign in").click()
    await expect(visitor.page.get_by_role("button", name="Sign out")).to_be_visible()
    await visitor.page.evaluate(
        """() => {
          const kept = JSON.parse(sessionStorage.getItem("lanekeeper.person"));
          sessionStorage.setItem("lanekeeper.person", JSON.stringify({ ...kept, token: "old.old.old" }));
        }"""
    )
    await visitor.page.reload()
    await visitor.model({"text": "Hello again."})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("Hello again.")
    assert issuer.exchanges[-1] == {
        "grant_type": "refresh_token",
        "refresh_token": "refresh-1",
        "client_id": "lanekeeper-web",
    }


async def test_signing_out_forgets_the_person(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": "Secret."})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("Secret.")
    await visitor.settled()
    await visitor.page.get_by_role("button", name="Sign out").click()
    await expect(visitor.page.get_by_label("Your name")).to_be_visible()
    await expect(visitor.replies).to_have_count(0)
    assert "token" not in json.dumps(await visitor.page.evaluate("Object.values(sessionStorage)"))


async def test_the_page_works_under_a_stage_prefix(visit: Visit) -> None:
    async with System.launched(stage="prod", workers=1, zero_delay=True) as staged:
        visitor = await visit(at=staged)
        assert re.search(r"/prod/?$", visitor.page.url)
        await visitor.model({"text": "Under a stage."})
        await visitor.write("hello")
        await expect(visitor.replies).to_contain_text("Under a stage.")
        await visitor.settled()
        await visitor.page.reload()
        await expect(visitor.replies).to_contain_text("Under a stage.")
        # The page asks for what is new now and then: not of a system that is being stopped.
        await visitor.page.goto("about:blank")


async def test_a_phone_keeps_its_conversations_in_a_drawer(visit: Visit) -> None:
    visitor = await visit(signed_in=False, **PHONE)
    await visitor.page.get_by_label("Your name").fill(visitor.sub)
    await visitor.page.get_by_role("button", name="Start chatting").click()
    await visitor.model({"text": "Hello."})
    await visitor.write("apples")
    await expect(visitor.replies).to_contain_text("Hello.")
    await visitor.page.get_by_role("button", name="Conversations").click()
    drawer = visitor.page.get_by_role("dialog", name="Conversations")
    await expect(drawer.get_by_role("link", name="apples")).to_be_visible()
    await drawer.get_by_role("link", name="New conversation").click()
    await expect(drawer).to_be_hidden()
    await expect(visitor.replies).to_have_count(0)
    assert await visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("screen", ["desktop", "phone"])
async def test_only_the_conversation_scrolls_however_long_it_is(visit: Visit, screen: str) -> None:
    visitor = await visit(signed_in=False, **(PHONE if screen == "phone" else {}))
    await visitor.page.get_by_label("Your name").fill(visitor.sub)
    await visitor.page.get_by_role("button", name="Start chatting").click()
    await visitor.model({"text": "\n\n".join(f"Line {n}" for n in range(60))})
    await visitor.write("\n".join(f"line {n}" for n in range(60)))
    await expect(visitor.replies).to_contain_text("Line 59")
    await visitor.settled()
    scroller = visitor.page.get_by_role("region", name="Messages")
    assert await scroller.evaluate("box => box.scrollHeight > 2 * box.clientHeight")
    assert await visitor.page.evaluate("document.scrollingElement.scrollHeight - innerHeight") == 0
    await visitor.page.get_by_role("textbox", name="Message").hover()
    await visitor.page.mouse.wheel(0, 2000)
    await expect(visitor.page.get_by_role("textbox", name="Message")).to_be_in_viewport()
    assert await visitor.page.evaluate("scrollY") == 0


async def test_the_whole_chat_works_by_keyboard(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": "Let me look.", "calls": [{"name": "web_search", "args": {"query": "coffee"}}]})
    await visitor.model({"text": "Found."})
    await expect(visitor.page.get_by_role("textbox", name="Message")).to_be_focused()
    await visitor.page.keyboard.type("two")
    await visitor.page.keyboard.press("Shift+Enter")
    await visitor.page.keyboard.type("lines")
    await visitor.page.keyboard.press("Enter")
    await expect(visitor.mine).to_have_text("two\nlines")
    await visitor.settled()
    await expect(visitor.page.get_by_role("textbox", name="Message")).to_be_focused()
    summary = visitor.page.locator("details.tool summary")
    await summary.focus()
    await visitor.page.keyboard.press("Enter")
    await expect(visitor.page.locator("details.tool pre").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desktop", "phone"])
async def test_nothing_on_the_page_keeps_anyone_out(visit: Visit, scheme: str, screen: str) -> None:
    """axe finds no fault of WCAG 2.2 A and AA: on the way in, in an empty chat, in a full one."""
    if not AXE.exists():
        missing("axe-core is not installed: npm ci in web/")
    visitor = await visit(signed_in=False, color_scheme=scheme, **(PHONE if screen == "phone" else {}))
    assert await _faults(visitor) == []
    await visitor.page.get_by_label("Your name").fill(visitor.sub)
    await visitor.page.get_by_role("button", name="Start chatting").click()
    await expect(visitor.page.get_by_role("heading", name="How can I help?")).to_be_visible()
    assert await _faults(visitor) == []
    await visitor.model(
        {"calls": [{"name": "web_search", "args": {"query": "coffee"}}]},
        {"text": EVERYTHING},
    )
    await visitor.write("show me everything, https://example.org too")
    await expect(visitor.page.locator(".reply-text table")).to_be_visible()
    await visitor.settled()
    for summary in await visitor.page.locator("summary").all():
        await summary.click()
    assert await _faults(visitor) == []


async def _faults(visitor: Visitor) -> list[str]:
    await visitor.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = await visitor.page.evaluate(
        "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })"
    )
    return [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found["violations"]]
