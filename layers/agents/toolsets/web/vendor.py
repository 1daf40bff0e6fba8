"""The search vendor. Its address, its key and the shape of its answers end in this file (L3)."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from lanekeeper.limits import Limits
from lanekeeper.settings import Secret
from lanekeeper.tools import ToolFailure, TransientError, storable

URL_CHARS = 500
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found: clean text on one line each, and a link that a page may show."""

    title: str
    url: str
    snippet: str


class SearchVendor:
    """Asks a vendor that answers ``POST /search`` with ``{"results": [{"title", "url", "content"}]}``.

    Args:
        base_url: the vendor's address.
        key: its key.
        limits: how long to wait, and how many results of what length.
    """

    def __init__(self, base_url: str, key: Secret, limits: Limits) -> None:
        self._url = f"{base_url}/search"
        self._key = key
        self._limits = limits
        self._http = httpx.AsyncClient(timeout=limits.search_timeout_s, trust_env=False)

    async def search(self, query: str) -> list[Hit]:
        """The best results, at most ``limits.result_items``. Each link occurs once.

        Raises:
            TransientError: the vendor was not reached, or broke.
            ToolFailure: it has had enough of us, or takes neither key nor query.
        """
        key = self._key.reveal() if self._key.ready else await asyncio.to_thread(self._key.reveal)
        try:
            response = await self._http.post(
                self._url,
                json={"query": query, "max_results": self._limits.result_items},
                headers={"authorization": f"Bearer {key}"},
            )
        except httpx.TransportError as error:
            raise TransientError from error
        if response.status_code != 200:
            raise self._refusal(response)
        try:
            found = response.json()["results"]
        except (ValueError, KeyError, TypeError) as error:
            raise TransientError from error
        best: dict[str, Hit] = {}
        for hit in self._hits(found):
            best.setdefault(hit.url, hit)
        return list(best.values())[: self._limits.result_items]

    def _hits(self, found: Any) -> Iterator[Hit]:
        for result in found if isinstance(found, list) else ():
            if not isinstance(result, dict):
                continue
            url, title = result.get("url"), _line(result.get("title"), self._limits.search_title_chars)
            if isinstance(url, str) and _may_be_shown(url):
                snippet = _line(result.get("content"), self._limits.search_snippet_chars)
                yield Hit(title or urlsplit(url).hostname or url, url, snippet)

    def _refusal(self, response: httpx.Response) -> Exception:
        status = response.status_code
        if status >= 500:
            return TransientError(status)
        if status == 429:
            wait = response.headers.get("retry-after", "")
            return ToolFailure(
                "Too many searches were made just now.",
                "Answer without searching, and say that you could not look it up right now.",
                retryable=True,
                retry_after_s=int(wait) if wait.isdigit() else None,
            )
        if status in {400, 422}:
            return ToolFailure(
                "The search does not accept this query.", "Search again with fewer, plainer words.", retryable=True
            )
        if status == 401:
            # The key was changed where it is kept: the next search reads the new one.
            self._key.forget()
        return ToolFailure(
            "The search is not available.", "Answer without searching, and say that you could not look it up."
        )


def _line(value: Any, length: int) -> str:
    text = _SPACE.sub(" ", storable(value)).strip() if isinstance(value, str) else ""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _may_be_shown(url: str) -> bool:
    """Whether it is an ordinary link: to the web, without a password in it, and all of it printable."""
    if not 0 < len(url) <= URL_CHARS or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return False
