"""The batch API against the dev kit's gateway: there and back, found again by name, and removed (W3)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from lanekeeper.limits import Limits
from lanekeeper.mainline.batch_files import Line
from lanekeeper.mainline.batches import Batches, NoBatchesError
from lanekeeper.mainline.catalogue import DEFAULT
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.settings import Secret
from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.errors import ApiError
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline as FakeMainline

KEY = "test-key"
SMALL = DEFAULT.models[0]


@dataclass
class Kit:
    """The fake in this process, and the client."""

    fake: FakeMainline
    batches: Batches
    http: httpx.AsyncClient
    url: str

    async def begun(self, *people: str, name: str = "batch_1") -> str:
        lines = [Line(f"line-{person}", person, {"messages": [{"role": "user", "content": "hi"}]}) for person in people]
        return await self.batches.begin(
            name, await self.batches.upload(name, SMALL, [line.written(SMALL) for line in lines])
        )

    async def script(self, user: str, *replies: dict[str, Any]) -> None:
        told = await self.http.post("/control/model", json={"sub": user, "feature": "notes", "replies": list(replies)})
        assert told.is_success, told.text


@pytest.fixture
async def kit() -> AsyncIterator[Kit]:
    fake = FakeMainline(KEY, KEY, DemoModel(zero_delay=True), lambda seconds: None)
    fake.batches.delay_s = 0
    listener = Listener(fake, 0)
    await listener.open()
    url = f"http://127.0.0.1:{listener.port}"
    batches = Batches(f"{url}/v1", Secret(KEY), Limits(batch_call_s=5))
    async with httpx.AsyncClient(base_url=url) as http:
        yield Kit(fake, batches, http, url)
    await batches.close()
    listener.close()


async def test_requests_go_there_in_one_file_and_each_comes_back_with_its_id(kit: Kit) -> None:
    await kit.script("ana", {"text": "for Ana", "usage": {"prompt_tokens": 12, "completion_tokens": 5}})
    await kit.script("bén", {"error": 503})
    await kit.script("cleo", {"calls": [{"name": "Notes", "args": {"notes": []}}]})
    found = await kit.batches.look(await kit.begun("ana", "bén", "cleo"))
    assert found.state == "over"
    ana, ben, cleo = sorted(await kit.batches.answers(found), key=lambda answer: answer.id)
    assert ana.message is not None
    assert (ana.message["content"], ana.usage.input_tokens, ana.usage.reported) == ("for Ana", 12, True)
    # Half of 0.25 and 2.00 a million.
    assert ana.usage.micros == round((12 * 0.25 + 5 * 2) / 2)
    assert (ben.message, ben.reason) == (None, "server_error")
    assert cleo.message is not None
    assert cleo.message["tool_calls"][0]["function"]["name"] == "Notes"


async def test_a_batch_that_is_not_over_is_open_until_it_is(kit: Kit) -> None:
    kit.fake.batches.delay_s = 60
    batch_id = await kit.begun("ana")
    assert (await kit.batches.look(batch_id)).state == "open"
    kit.fake.clock.advance(61)
    assert (await kit.batches.look(batch_id)).state == "over"


async def test_a_batch_is_found_again_by_the_name_we_gave_it(kit: Kit) -> None:
    first, second = await kit.begun("ana", name="batch_1"), await kit.begun("ben", name="batch_2")
    assert await kit.batches.find("batch_1") == first
    assert await kit.batches.find("batch_2") == second
    assert await kit.batches.find("batch_3") is None


async def test_a_batch_that_was_cancelled_is_over_without_answers(kit: Kit) -> None:
    kit.fake.batches.delay_s = 60
    batch_id = await kit.begun("ana")
    await kit.batches.cancel(batch_id)
    found = await kit.batches.look(batch_id)
    assert found.state == "over"
    assert await kit.batches.answers(found) == []


async def test_a_file_is_removed_and_what_is_unknown_is_refused(kit: Kit) -> None:
    file_id = await kit.batches.upload("batch_1", SMALL, [Line("a", "ana", {"messages": []}).written(SMALL)])
    await kit.batches.remove(file_id)
    assert kit.fake.files.all() == []
    for unknown in (kit.batches.remove(file_id), kit.batches.look("batch_none")):
        with pytest.raises(MainlineError) as raised:
            await unknown
        assert raised.value.status == 404


async def test_answers_larger_than_may_be_read_are_not_read(kit: Kit) -> None:
    found = await kit.batches.look(await kit.begun("ana"))
    small = Batches(f"{kit.url}/v1", Secret(KEY), Limits(batch_answer_bytes=20))
    with pytest.raises(MainlineError) as raised:
        await small.answers(found)
    await small.close()
    assert (raised.value.retryable, raised.value.reason) == (False, "too_long")


@pytest.mark.parametrize(("status", "missing"), [(404, True), (405, True), (501, True), (500, False), (429, False)])
async def test_a_gateway_without_batches_is_told_apart_from_one_that_is_away(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, status: int, missing: bool
) -> None:
    def refuse(*_: Any) -> None:
        raise ApiError(status, "no", "server_error")

    monkeypatch.setattr(kit.fake.files, "add", refuse)
    with pytest.raises(NoBatchesError if missing else MainlineError):
        await kit.batches.upload("batch_1", SMALL, [b"{}\n"])


async def test_a_batch_of_ours_is_found_behind_a_page_of_others(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    batch_id = await kit.begun("ana")
    whole = kit.fake.batches.all()
    pages = iter([[{"id": f"other-{number}", "metadata": None} for number in range(3)], whole])
    asked: list[str] = []

    async def page(path: str, _: float) -> dict[str, Any]:
        asked.append(path)
        return {"data": next(pages), "has_more": True}

    monkeypatch.setattr(kit.batches._transport, "get", page)
    assert await kit.batches.find("batch_1") == batch_id
    assert asked == ["batches?limit=100", "batches?limit=100&after=other-2"]
