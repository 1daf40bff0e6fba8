"""The dev kit's contract, on the whole running system (DESIGN: dev kit routes)."""

import asyncio

import pytest

from tests.devkit import kill_points
from tests.devkit.system import System, someone

SEARCH = {"calls": [{"name": "web_search", "args": {"query": "lighthouse"}}]}


async def test_a_message_is_answered_through_all_functions(system: System) -> None:
    ana = someone("ana")
    await system.model({"text": "Good morning."}, sub=ana)
    accepted = await system.say(ana, "hello")
    reply = await system.follow(ana, accepted)
    assert reply.ended
    assert reply.text == "Good morning."
    transcript = await system.transcript(ana, accepted["conversationId"])
    assert [message["role"] for message in transcript] == ["user", "assistant"]


async def test_the_fake_mainline_tells_what_it_received(system: System) -> None:
    ana = someone("ana")
    accepted = await system.say(ana, "what is on my mind")
    await system.follow(ana, accepted)
    (request,) = await system.requests(ana)
    assert request["feature"] == "chat"
    assert request["body"]["messages"][-1]["content"]


async def test_the_functions_run_as_roles_of_their_own(system: System) -> None:
    await system.follow(ana := someone("ana"), await system.say(ana, "hello"))
    roles = await system.sql(
        "select distinct usename from pg_stat_activity where datname = current_database() and usename is not null"
    )
    assert {row["usename"] for row in roles} >= {"lanekeeper_accept", "lanekeeper_stream", "lanekeeper_worker"}
    assert {row["usename"] for row in roles} <= {
        "postgres",
        *(f"lanekeeper_{name}" for name in ("accept", "stream", "worker", "maintenance")),
    }


async def test_one_clock_moves_for_sql_functions_and_tokens(system: System) -> None:
    ana = someone("ana")
    brief = await system.token(ana, expires_in_s=1800)
    lasting = await system.token(ana)
    (before,) = await system.sql("select lanekeeper.now() as now")
    await system.advance(3600)
    try:
        (after,) = await system.sql("select lanekeeper.now() as now")
        assert 3600 <= (after["now"] - before["now"]).total_seconds() < 3660
        answers = [
            await system.http.get(system.at("/me"), headers={"Authorization": f"Bearer {token}"})
            for token in (brief, lasting)
        ]
        assert [answer.status_code for answer in answers] == [401, 200]
    finally:
        await system.advance(-3600)


@pytest.mark.parametrize("at", sorted(kill_points.names("worker")))
async def test_a_worker_is_killed_at_the_named_point_and_the_next_one_answers(system: System, at: str) -> None:
    ana = someone("ana")
    await system.model(SEARCH, {"text": "A lighthouse shows ships the way."}, sub=ana)
    await system.model(SEARCH, {"text": "A lighthouse shows ships the way."}, sub=ana)
    await system.kill("worker", at)
    accepted = await system.say(ana, "what is a lighthouse")
    await system.quiet()
    assert await system.orders() == [], "no worker came by the point"
    await system.advance(60)  # past the lease
    await system.tick()
    reply = await system.follow_to_the_end(ana, accepted)
    assert reply.ended
    await system.quiet()
    transcript = await system.transcript(ana, accepted["conversationId"])
    assert [message["role"] for message in transcript] == ["user", "assistant"]


async def test_a_frozen_worker_is_replaced_and_may_thaw(system: System) -> None:
    ana = someone("ana")
    await system.kill("worker", "before_commit", "freeze")
    accepted = await system.say(ana, "hello")
    async with asyncio.timeout(20):
        while await system.orders():
            await asyncio.sleep(0.05)
    assert (await system.sandboxes())["worker"]["lost"] == 1
    await system.advance(60)
    await system.tick()
    assert (await system.follow_to_the_end(ana, accepted)).ended
    await system.thaw("worker")
    async with asyncio.timeout(20):
        while (await system.sandboxes())["worker"]["lost"]:
            await asyncio.sleep(0.05)
    transcript = await system.transcript(ana, accepted["conversationId"])
    assert [message["role"] for message in transcript] == ["user", "assistant"]


async def test_a_blackholed_worker_says_nothing_to_its_database(system: System) -> None:
    ana = someone("ana")
    await system.kill("worker", "before_model", "blackhole")
    accepted = await system.say(ana, "hello")
    async with asyncio.timeout(20):
        while await system.orders():
            await asyncio.sleep(0.05)
    await system.advance(60)
    await system.tick()
    assert (await system.follow_to_the_end(ana, accepted)).ended


async def test_accept_killed_after_its_commit_has_kept_the_message(system: System) -> None:
    ana = someone("ana")
    await system.kill("accept", "after_commit")
    key = someone("key")
    lost = await system.post(ana, "hello", key=key)
    assert lost.status_code == 503  # as the template shapes API Gateway's own errors
    assert lost.json()["error"]["retryable"] is True
    again = await system.say(ana, "hello", key=key)
    assert len(await system.sql("select 1 from inbox where user_id = %s", [ana])) == 1
    assert (await system.follow_to_the_end(ana, again)).ended


async def test_a_stream_killed_in_mid_reply_is_cut_and_resumed(system: System) -> None:
    ana = someone("ana")
    await system.model({"text": "one two three four five six", "token_delay_ms": 60}, sub=ana)
    await system.kill("stream", "mid_stream")
    accepted = await system.say(ana, "count")
    cut = await system.follow(ana, accepted)
    assert not cut.ended
    whole = await system.follow(ana, accepted)
    assert whole.ended
    assert whole.text == "one two three four five six"
    assert whole.chunks[: len(cut.chunks)] == cut.chunks


async def test_an_event_can_come_three_times(system: System) -> None:
    ana = someone("ana")
    await system.repeat("worker", [0, 0.2])
    accepted = await system.say(ana, "hello")
    assert (await system.follow(ana, accepted)).ended
    await system.quiet()
    rows = await system.sql("select count(*) as n from messages where user_id = %s", [ana])
    assert rows == [{"n": 2}]


async def test_the_database_refuses_for_as_long_as_it_was_told(system: System) -> None:
    ana = someone("ana")
    await system.token(ana)
    assert (await system.request(ana, "GET", "/health/ready")).status_code == 200
    await system.outage(1.5, "database")
    away = await system.request(ana, "GET", "/conversations")
    assert away.status_code in (500, 502, 503)
    async with asyncio.timeout(15):
        while (await system.request(ana, "GET", "/conversations")).status_code != 200:
            await asyncio.sleep(0.1)


async def test_nobody_but_this_machine_is_answered(system: System) -> None:
    answer = await system.http.post(f"{system.url}/dev/tick", headers={"Host": "evil.example"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("kill", {"function": "worker", "at": "lunch"}),
        ("kill", {"function": "waiter", "at": "start"}),
        ("kill", {"function": "worker", "at": "start", "how": "politely"}),
        ("outage", {"seconds": 1, "what": "weather"}),
        ("clock", {"advance_s": "much"}),
        ("token", {}),
    ],
)
async def test_what_makes_no_sense_is_said_so(system: System, route: str, body: dict[str, object]) -> None:
    answer = await system.http.post(f"{system.url}/dev/{route}", json=body)
    assert answer.status_code == 422
    assert answer.json()["message"]
