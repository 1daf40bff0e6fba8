"""Scripted replies: whose they are, in which order, and how they fail."""

import asyncio

import httpx
import pytest

from tests.unit.devkit.mainline.conftest import HELLO, SEARCH_KEY, Gateway


async def test_a_persons_queue_goes_before_everybodys_and_each_call_takes_one(gateway: Gateway) -> None:
    await gateway.script({"text": "all 1"}, {"text": "all 2"})
    await gateway.script({"text": "ana 1"}, {"text": "ana 2"}, sub="ana")
    assert await gateway.text("ben") == "all 1"
    assert [await gateway.text("ana") for _ in range(3)] == ["ana 1", "ana 2", "all 2"]
    assert "scripted demo model" in await gateway.text("ana")


async def test_more_replies_queue_behind_those_that_wait(gateway: Gateway) -> None:
    await gateway.script({"text": "first"})
    await gateway.script({"text": "second"})
    assert [await gateway.text(), await gateway.text()] == ["first", "second"]


async def test_features_have_queues_of_their_own(gateway: Gateway) -> None:
    await gateway.script({"text": "a summary"}, feature="summary")
    await gateway.script({"text": "a chat"})
    assert await gateway.text(feature="chat") == "a chat"
    assert await gateway.text(feature="summary") == "a summary"


async def test_an_empty_list_clears_one_queue(gateway: Gateway) -> None:
    await gateway.script({"text": "ana's"}, sub="ana")
    await gateway.script({"text": "all's"})
    await gateway.script(sub="ana")
    assert await gateway.text("ana") == "all's"
    assert (await gateway.http.get("/control/model")).json() == []


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("stream", [True, False])
async def test_a_scripted_status_comes_in_openais_shape(gateway: Gateway, status: int, stream: bool) -> None:
    await gateway.script({"error": status})
    response = await gateway.chat(stream=stream)
    assert response.status_code == status
    assert response.json()["error"]["message"]
    assert ("retry-after" in response.headers) == (status != 500)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_cut_breaks_the_connection_after_some_tokens(gateway: Gateway, stream: bool) -> None:
    """B031: the client sees a broken body, never an end."""
    await gateway.script({"error": "cut", "text": "one two three four"})
    body = {"model": "small", "messages": HELLO, "stream": stream}
    arrived = bytearray()

    async def read() -> None:
        async with gateway.http.stream("POST", "/v1/chat/completions", json=body) as response:
            async for piece in response.aiter_bytes():
                arrived.extend(piece)

    with pytest.raises(httpx.RemoteProtocolError):
        await read()
    assert (b'"one"' in arrived and b'" two"' in arrived) == stream
    assert b"three" not in arrived
    assert b"[DONE]" not in arrived


@pytest.mark.parametrize("reply", [{"error": "timeout"}, {"error": "timeout", "text": "one two"}])
async def test_a_timeout_is_silence(gateway: Gateway, reply: dict[str, str]) -> None:
    await gateway.script(reply)
    body = {"model": "small", "messages": HELLO, "stream": True}
    with pytest.raises(httpx.ReadTimeout):
        await gateway.http.post("/v1/chat/completions", json=body, timeout=httpx.Timeout(5, read=0.05))


async def test_a_client_that_leaves_ends_the_work_for_it(gateway: Gateway) -> None:
    await gateway.script({"text": "a b c", "delay_s": 600})
    with pytest.raises(httpx.ReadTimeout):
        await gateway.http.post(
            "/v1/chat/completions",
            json={"model": "small", "messages": HELLO},
            timeout=httpx.Timeout(5, read=0.05),
        )
    for _ in range(100):
        await asyncio.sleep(0)
    assert await gateway.text() != "a b c"


@pytest.mark.parametrize(
    "reply",
    [
        {"txt": "typo"},
        {"error": 418},
        {"text": 5},
        {"calls": [{"args": {}}]},
        {"calls": {"name": "a"}},
        {"calls": [{"name": "a", "args": [1]}]},
        {"delay_s": "long"},
        {"usage": [1]},
        "text",
    ],
)
async def test_a_reply_that_says_nothing_known_is_refused(gateway: Gateway, reply: object) -> None:
    response = await gateway.http.post("/control/model", json={"replies": [reply]})
    assert response.status_code == 400
    assert (await gateway.http.post("/control/model", json={})).status_code == 400


async def test_bad_arguments_go_out_as_they_were_written(gateway: Gateway) -> None:
    await gateway.script({"calls": [{"name": "web_search", "args": '{"query": '}]})
    call = (await gateway.chat()).json()["choices"][0]["message"]["tool_calls"][0]
    assert call["function"]["arguments"] == '{"query": '


async def test_requests_are_kept_with_their_exact_body_oldest_first(gateway: Gateway) -> None:
    raw = '{"messages": [{"content":"h\\u00e9llo",  "role":"user"}], "model":"small"}'
    headers = {"x-mainline-user": "b%C3%A9a", "x-mainline-feature": "judge"}
    await gateway.http.post("/v1/chat/completions", content=raw, headers=headers)
    await gateway.chat("ana")
    assert raw in (await gateway.http.get("/control/requests")).text
    assert [request["sub"] for request in await gateway.requests()] == ["béa", "ana"]
    kept = (await gateway.requests(sub="béa", feature="judge"))[0]
    assert set(kept) == {"at", "sub", "feature", "model", "body", "input_tokens", "cached_tokens"}
    assert list(kept["body"]) == ["messages", "model"]
    assert kept["input_tokens"] > 0
    assert await gateway.requests(sub="ana", feature="judge") == []


async def test_failed_calls_are_kept_too(gateway: Gateway) -> None:
    await gateway.script({"error": 503})
    await gateway.chat()
    assert len(await gateway.requests(sub="ana")) == 1


async def test_the_log_forgets_its_oldest(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.devkit.mainline.requests.MOST_REQUESTS", 2)
    for user in ("a", "b", "c"):
        await gateway.chat(user)
    assert [request["sub"] for request in await gateway.requests()] == ["b", "c"]


async def test_an_outage_refuses_connections_and_keeps_the_port(gateway: Gateway) -> None:
    async with httpx.AsyncClient(base_url=gateway.http.base_url, trust_env=False) as tester:
        await tester.get("/health")
        assert (await tester.post("/control/outage", json={"seconds": 60})).status_code == 200
        with pytest.raises(httpx.TransportError):
            await gateway.chat()
        with pytest.raises(httpx.ConnectError):
            await gateway.chat()
        # The one who ordered the outage can still talk on the connection that ordered it.
        assert (await tester.get("/control/clock")).status_code == 200
        await gateway.listener.open()
        assert (await gateway.chat()).status_code == 200


async def test_the_search_vendor_finds_articles_and_fails_when_told(gateway: Gateway) -> None:
    headers = {"authorization": f"Bearer {SEARCH_KEY}"}

    async def search(**body: object) -> httpx.Response:
        return await gateway.http.post("/search", json=body, headers=headers)

    found = (await search(query="Who was Ada Lovelace?", max_results=3)).json()["results"]
    assert found[0]["title"] == "Ada Lovelace"
    assert set(found[0]) == {"title", "url", "content", "score"}
    assert (await search(query="zzz qqq")).json()["results"] == []
    assert len((await search(query="capital", max_results=2)).json()["results"]) == 2
    assert (await search(query=" ")).status_code == 422
    assert (await gateway.http.post("/search", json={"query": "x"})).status_code == 401
    await gateway.control("search", error=503)
    assert [(await search(query="Mars")).status_code for _ in range(2)] == [503, 503]
    await gateway.control("search")
    assert (await search(query="Mars")).status_code == 200


async def test_reset_forgets_scripts_requests_cache_and_faults(gateway: Gateway) -> None:
    await gateway.script({"text": "old"})
    await gateway.control("decisions", answers={"injection": 1.0})
    await gateway.chat("ben")
    await gateway.script({"text": "old"})
    await gateway.control("reset")
    assert await gateway.requests() == []
    assert await gateway.text() != "old"
