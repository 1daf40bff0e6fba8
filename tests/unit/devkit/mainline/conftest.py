"""The fake Mainline, served on a free port inside the test's own loop."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline

KEY, SEARCH_KEY = "the-key", "the-search-key"
HELLO = [{"role": "user", "content": "hello"}]


@dataclass
class Gateway:
    """The served fake and a client for it."""

    mainline: Mainline
    listener: Listener
    http: httpx.AsyncClient

    async def control(self, name: str, **body: Any) -> Any:
        response = await self.http.post(f"/control/{name}", json=body)
        assert response.status_code == 200, response.text
        return response.json()

    async def script(self, *replies: dict[str, Any], **owner: str) -> None:
        await self.control("model", replies=list(replies), **owner)

    async def chat(self, user: str = "ana", feature: str = "chat", **body: Any) -> httpx.Response:
        whole = {"model": "small", "messages": HELLO, **body}
        headers = {"x-mainline-user": user, "x-mainline-feature": feature}
        return await self.http.post("/v1/chat/completions", json=whole, headers=headers)

    async def text(self, user: str = "ana", feature: str = "chat", **body: Any) -> str:
        response = await self.chat(user, feature, **body)
        assert response.status_code == 200, response.text
        return str(response.json()["choices"][0]["message"]["content"])

    async def requests(self, **query: str) -> list[dict[str, Any]]:
        return list((await self.http.get("/control/requests", params=query)).json())


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    """The fake with its demo model at zero delay. An outage lasts until the test ends it."""
    mainline = Mainline(KEY, SEARCH_KEY, DemoModel(zero_delay=True), lambda seconds: listener.refuse(keep="/control/"))
    listener = Listener(mainline, 0)
    await listener.open()
    headers = {"authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{listener.port}", headers=headers, trust_env=False
    ) as client:
        yield Gateway(mainline, listener, client)
    listener.close()
