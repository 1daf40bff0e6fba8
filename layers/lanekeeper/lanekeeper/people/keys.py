"""The issuer's public keys: fetched when first needed, believed for a while, fetched anew when a new one appears."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import jwt

from lanekeeper import clock
from lanekeeper.limits import Limits
from lanekeeper.people.rules import ALGORITHMS

logger = logging.getLogger(__name__)

Fetch = Callable[[str, float], bytes]


class KeysUnavailableError(Exception):
    """The issuer's keys could not be had, so no token can be judged."""


class KeySet:
    """Public keys by key id.

    A key id that is not known may be a new one, so the set is fetched again for it, at most once in
    ``limits.jwks_refetch_s``, whatever strangers send. While the issuer is away, keys already seen stay good
    for ``limits.jwks_stale_s``.

    Args:
        url: where the set is. None: the keys given inline are all there are.
        inline: the set as JSON text, for functions without a way out. Then nothing is ever fetched.
        fetch: gets the bytes of a URL within a number of seconds; called in a thread.

    Raises:
        ValueError: neither was given, or ``inline`` is no key set.
    """

    def __init__(
        self, limits: Limits, *, url: str | None = None, inline: str | None = None, fetch: Fetch | None = None
    ):
        if not inline and not url:
            raise ValueError("an issuer needs a JWKS URL or the keys inline")
        self._limits = limits
        self._url = None if inline else url
        self._fetch = fetch or fetch_bytes
        self._keys: dict[str, jwt.PyJWK] = read_keys(inline) if inline else {}
        self._fetched_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._one_fetch = asyncio.Lock()

    async def key(self, key_id: str) -> jwt.PyJWK | None:
        """The key of that id, or None when the issuer has no such key.

        Raises:
            KeysUnavailableError: no key set could be fetched yet, or the last one is too old to be believed.
        """
        if self._url is not None and (
            key_id not in self._keys or self._older(self._fetched_at, self._limits.jwks_cache_s)
        ):
            await self._refresh(self._url, key_id)
        return self._keys.get(key_id)

    async def _refresh(self, url: str, key_id: str) -> None:
        async with self._one_fetch:
            believed = not self._older(self._fetched_at, self._limits.jwks_cache_s)
            if (key_id in self._keys and believed) or not self._older(self._tried_at, self._limits.jwks_refetch_s):
                pass  # Someone else fetched while this one waited, or a minute has not passed.
            else:
                self._tried_at = clock.now()
                try:
                    body = await asyncio.to_thread(self._fetch, url, self._limits.jwks_timeout_s)
                    self._keys, self._fetched_at = read_keys(body), clock.now()
                except (OSError, ValueError) as error:
                    logger.error("the issuer's keys could not be fetched: %s", type(error).__name__)
        if self._older(self._fetched_at, self._limits.jwks_stale_s):
            raise KeysUnavailableError

    @staticmethod
    def _older(moment: datetime | None, seconds: float) -> bool:
        # A moment ahead of the clock says that the clock was moved: then nothing is known about its age.
        return moment is None or not 0 <= (clock.now() - moment).total_seconds() < seconds


def read_keys(text: str | bytes) -> dict[str, jwt.PyJWK]:
    """The signing keys of a JWKS document that this product can use, by key id. Others are passed over.

    Raises:
        ValueError: it is no key set.
    """
    document = json.loads(text)
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("not a key set")
    return {data["kid"]: key for data in listed if (key := _usable(data)) is not None}


def _usable(data: Any) -> jwt.PyJWK | None:
    if not isinstance(data, Mapping) or not isinstance(data.get("kid"), str) or data.get("use", "sig") != "sig":
        return None
    try:
        key = jwt.PyJWK(dict(data))
    except jwt.PyJWTError:
        return None
    return key if key.algorithm_name in ALGORITHMS else None


def fetch_bytes(url: str, timeout_s: float) -> bytes:
    """The body behind an http or https URL of the settings, at most 1 MB.

    Raises:
        OSError: it could not be had.
    """
    # Late: with the keys inline, or warm, a request needs no HTTP client.
    from urllib.request import Request, urlopen

    if not url.startswith(("https://", "http://")):
        raise OSError("not a web address")
    request = Request(url, headers={"Accept": "application/json", "User-Agent": "lanekeeper"})  # noqa: S310
    with urlopen(request, timeout=timeout_s) as response:  # noqa: S310
        body: bytes = response.read(1_000_000)
    return body
