"""Uploads through the running system: real events, real processes, and workers that are lost on the way (D3, D4)."""

import asyncio
import json
from typing import Any

import pytest

from tests.devkit import samples
from tests.devkit.system import System, someone

LEASE_S = 60


async def give(system: System, sub: str, content: bytes, kind: str = "application/octet-stream") -> str:
    answer = await system.request(sub, "POST", "/uploads", content=content, headers={"Content-Type": kind})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["uploadId"])


async def verdict(system: System, sub: str, upload_id: str) -> dict[str, Any]:
    async with asyncio.timeout(40):
        while True:
            told: dict[str, Any] = (await system.request(sub, "GET", f"/uploads/{upload_id}")).json()
            if told["verdict"] != "pending":
                return told
            await asyncio.sleep(0.1)


async def test_a_picture_goes_all_the_way_and_comes_back(system: System) -> None:
    sub = someone()
    upload_id = await give(system, sub, samples.jpeg([(0xE1, b"Exif\0\0 at home")]))
    accepted = await system.say(sub, "What is this?", attachments=[upload_id])
    reply = await system.follow_to_the_end(sub, accepted)
    assert reply.text
    assert (await verdict(system, sub, upload_id))["verdict"] == "ok"
    (request,) = await system.requests(sub)
    assert "data:image/jpeg;base64," in json.dumps(request["body"])
    back = await system.request(sub, "GET", f"/uploads/{upload_id}/content")
    assert (back.content, back.headers["content-type"]) == (samples.jpeg(), "image/jpeg")
    assert back.headers["content-disposition"].startswith("attachment")


async def test_a_whole_file_of_4_mb_passes_the_gateway_and_one_byte_more_is_told_in_plain_words(
    system: System,
) -> None:
    sub = someone()
    words = b"word " * (4 * 1024 * 1024 // 5 + 1)
    upload_id = await give(system, sub, words[: 4 * 1024 * 1024])
    for size in (4 * 1024 * 1024 + 1, 5_000_000, 9_000_000, 25_000_000):
        answer = await system.request(sub, "POST", "/uploads", content=b"a" * size)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert (await verdict(system, sub, upload_id))["verdict"] == "ok"


@pytest.mark.parametrize("how", ["kill", "freeze"])
async def test_a_worker_that_is_lost_with_an_upload_in_its_hands_is_followed_by_another(
    system: System, how: str
) -> None:
    sub = someone()
    await system.kill("worker", "claimed", how)
    upload_id = await give(system, sub, samples.pdf("Meet at noon."))
    accepted = await system.say(sub, "Sum it up.", attachments=[upload_id])
    async with asyncio.timeout(20):
        while await system.orders():
            await asyncio.sleep(0.05)
    await system.advance(LEASE_S)
    await system.tick()
    assert (await system.follow_to_the_end(sub, accepted)).text
    assert (await verdict(system, sub, upload_id))["verdict"] == "ok"
    (request,) = await system.requests(sub)
    assert "Meet at noon." in json.dumps(request["body"])


async def test_a_bomb_holds_nobody_else_up_and_the_worker_lives(system: System) -> None:
    """B077."""
    sub, other = someone(), someone()
    bomb = samples.pdf("x", stream=b"BT (a) Tj ET " * 9_000_000)
    upload_id = await give(system, sub, bomb)
    accepted = await system.say(other, "hello")
    assert (await system.follow_to_the_end(other, accepted)).text
    told = await verdict(system, sub, upload_id)
    assert (told["verdict"], "unpacks to more" in told["message"]) == ("refused", True)
    assert (await system.follow_to_the_end(sub, await system.say(sub, "hello"))).text


async def test_what_is_kept_long_enough_goes_at_night(system: System) -> None:
    sub = someone()
    upload_id = await give(system, sub, b"words")
    await verdict(system, sub, upload_id)
    await system.sql("update uploads set expires_at = lanekeeper.now() where id = %s", [upload_id])
    await system.nightly()
    assert (await system.request(sub, "GET", f"/uploads/{upload_id}")).status_code == 404
    assert await system.sql("select from uploads where id = %s", [upload_id]) == []
