"""The issuer's keys: fetched once, rotated when a new key signs, and never fetched as often as strangers like."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from lanekeeper import clock
from lanekeeper.limits import Limits
from lanekeeper.people import KeySet
from lanekeeper.people.keys import KeysUnavailableError, fetch_bytes, read_keys
from tests.unit.people import issuer as idp

LIMITS = Limits()
FIRST = idp.public(idp.rsa_key(), "k1")
SECOND = idp.public(idp.ec_key(), "k2")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2030, 1, 1, tzinfo=UTC)

    def move(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock_ = Clock()
    monkeypatch.setattr(clock, "now", lambda: clock_.moment)
    return clock_


async def test_keys_are_fetched_once_and_then_believed(time: Clock) -> None:
    with idp.served([FIRST]) as (url, fetched):
        keys = KeySet(LIMITS, url=url)
        found = await asyncio.gather(*(keys.key("k1") for _ in range(5)))
        time.move(LIMITS.jwks_cache_s - 1)
        assert await keys.key("k1") is not None
    assert all(found)
    assert len(fetched) == 1


async def test_a_new_key_of_the_issuer_is_found_by_its_unknown_id(time: Clock) -> None:
    held = [FIRST]
    with idp.served(held) as (url, fetched):
        keys = KeySet(LIMITS, url=url)
        await keys.key("k1")
        held[:] = [SECOND]
        time.move(LIMITS.jwks_refetch_s)
        assert await keys.key("k2") is not None
        assert await keys.key("k1") is None
    assert len(fetched) == 2


async def test_unknown_key_ids_fetch_at_most_once_a_minute(time: Clock) -> None:
    with idp.served([FIRST]) as (url, fetched):
        keys = KeySet(LIMITS, url=url)
        for number in range(20):
            assert await keys.key(f"made-up-{number}") is None
            time.move(LIMITS.jwks_refetch_s / 20 - 0.001)
        assert len(fetched) == 1
        time.move(1)
        await keys.key("made-up")
    assert len(fetched) == 2


async def test_old_keys_are_fetched_again(time: Clock) -> None:
    held = [FIRST]
    with idp.served(held) as (url, _):
        keys = KeySet(LIMITS, url=url)
        await keys.key("k1")
        held[:] = [SECOND]
        time.move(LIMITS.jwks_cache_s)
        assert await keys.key("k1") is None, "a key the issuer took back is believed no longer"


async def test_keys_stay_good_for_a_while_when_the_issuer_is_away(time: Clock) -> None:
    with idp.served([FIRST]) as (url, _):
        keys = KeySet(LIMITS, url=url)
        await keys.key("k1")
    time.move(LIMITS.jwks_cache_s)
    assert await keys.key("k1") is not None
    time.move(LIMITS.jwks_stale_s)
    with pytest.raises(KeysUnavailableError):
        await keys.key("k1")


async def test_an_issuer_that_never_answered_is_asked_at_most_once_a_minute(time: Clock) -> None:
    asked: list[str] = []

    def refuse(url: str, timeout_s: float) -> bytes:
        asked.append(url)
        raise OSError("refused")

    keys = KeySet(LIMITS, url="https://issuer.example/keys", fetch=refuse)
    for _ in range(3):
        with pytest.raises(KeysUnavailableError):
            await keys.key("k1")
    assert len(asked) == 1
    time.move(LIMITS.jwks_refetch_s)
    with pytest.raises(KeysUnavailableError):
        await keys.key("k1")
    assert len(asked) == 2


async def test_inline_keys_are_all_there_are() -> None:
    def never(url: str, timeout_s: float) -> bytes:
        raise AssertionError("inline keys fetch nothing")

    keys = KeySet(LIMITS, url="https://issuer.example/keys", inline=json.dumps({"keys": [FIRST]}), fetch=never)
    assert await keys.key("k1") is not None
    assert await keys.key("k2") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"keys": {}}', "nonsense"])
def test_what_is_no_key_set_is_said_at_start(text: str) -> None:
    with pytest.raises(ValueError, match=r"key|value|column"):
        KeySet(LIMITS, inline=text)


def test_keys_of_no_use_are_passed_over() -> None:
    curve = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "ed"}
    odd = [
        5,
        {},
        {"kid": "x"},
        {**FIRST, "kid": 5},
        {**FIRST, "kid": "e", "use": "enc"},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "s"},
        curve,
        {**FIRST, "kid": "p", "alg": "PS256"},
    ]
    assert list(read_keys(json.dumps({"keys": [*odd, FIRST]}))) == ["k1"]


def test_only_the_web_is_fetched_from() -> None:
    with pytest.raises(OSError, match="web address"):
        fetch_bytes("file:///etc/passwd", 1)
