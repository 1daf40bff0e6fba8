"""A real browser in front of the running system. Without a Chromium on this machine these tests are skipped."""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn

import pytest
import run
from playwright.async_api import Browser, async_playwright

from tests.browser.visitor import Visitor
from tests.devkit.system import System, someone

# Chromium looks for its maker's servers when nobody forbids it, and a machine may have no way there.
QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
)

Visit = Callable[..., Awaitable[Visitor]]


def missing(what: str) -> NoReturn:
    """On a laptop the browser's tests are left out when something is not installed; in CI nothing may be left out."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is: CHROMIUM, else on the PATH."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        missing("no Chromium here: apt-get install chromium")
    return found


@pytest.fixture(scope="session")
def built_page() -> None:
    """The page as ``python3 run.py`` builds it."""
    with run.one_at_a_time():
        run.build_page()


@pytest.fixture
async def browser(chromium: str, built_page: None) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield browser
        await browser.close()


@pytest.fixture
async def visit(browser: Browser, system: System) -> AsyncIterator[Visit]:
    """``await visit()`` is a new person, signed in, in a browser of their own. Afterwards nobody's page has erred."""
    visitors: list[Visitor] = []

    async def arrive(*, signed_in: bool = True, at: System = system, **options: Any) -> Visitor:
        context = await browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        visitor = Visitor(await context.new_page(), at, someone("visitor"))
        visitors.append(visitor)
        await visitor.open()
        if signed_in:
            await visitor.sign_in()
        return visitor

    yield arrive
    for visitor in visitors:
        await visitor.page.context.close()
        assert visitor.errors == []
        assert visitor.strangers == set()
