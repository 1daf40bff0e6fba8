"""A turn's whole story on the running system, as an administrator reads it, and the day it is part of (K2, K3, A4)."""

import json

from tests.devkit.system import System, someone
from tests.unit.traces.collector import attributes, receiving


async def test_an_administrator_reads_what_a_turn_did_and_a_stranger_does_not(system: System) -> None:
    person, secret = someone("ana"), "my neighbour's cat is called Pixel"
    await system.model({"text": "A fine name."}, sub=person)
    accepted = await system.say(person, secret)
    await system.follow_to_the_end(person, accepted)
    path = f"/admin/turns/{accepted['turnId']}"
    assert (await system.request(person, "GET", path)).status_code == 403
    admin = {"Authorization": f"Bearer {await system.token(someone('root'), groups=['admin'])}"}
    story = (await system.http.get(system.at(path), headers=admin)).json()
    assert (story["id"], story["state"]) == (accepted["turnId"], "done")
    assert {cost["feature"] for cost in story["costs"]} == {"chat", "decisions"}
    assert story["verdicts"]["source"] == "gateway"
    assert story["timings"]["firstReplyMs"] > 0
    assert {"turn", "load", "commit"} <= {span["name"] for span in story["trace"]["spans"]}
    # In dev the exact request is there too; nothing else tells what was said.
    [sent] = story.pop("requests")
    [received] = await system.requests(person)
    assert sent["body"] == received["body"]
    assert "Pixel" not in json.dumps(story)
    assert person not in json.dumps(story)


async def test_the_tick_adds_up_the_day_and_an_administrator_reads_it(system: System) -> None:
    person = someone("ben")
    accepted = await system.say(person, "hello")
    await system.follow_to_the_end(person, accepted)
    await system.tick()
    [day] = await system.sql(
        "select micros, checked_at is not null as checked from spend_days order by day desc limit 1"
    )
    [paid] = await system.sql("select sum(micros)::bigint as micros from costs where user_id = %s", [person])
    assert day["micros"] >= paid["micros"] > 0
    admin = {"Authorization": f"Bearer {await system.token(someone('root'), groups=['admin'])}"}
    costs = (await system.http.get(system.at("/admin/costs"), headers=admin)).json()
    assert costs["micros"] == sum(row["micros"] for row in costs["items"])
    turns = (await system.http.get(system.at("/admin/turns"), headers=admin)).json()
    assert accepted["turnId"] in {turn["id"] for turn in turns["items"]}


async def test_where_a_collector_is_named_traces_go_there_before_the_worker_sleeps_and_nowhere_else_k3() -> None:
    with receiving() as receiver:
        environment = {
            "TRACES": "otlp",
            "TRACES_ENDPOINT": f"{receiver.url}/api/public/otel",
            "TRACES_HEADERS": "Authorization=Basic a2V5",
        }
        async with System.launched(environment, workers=1, zero_delay=True) as system:
            accepted = await system.say("ana", "my neighbour's cat is called Pixel")
            await system.follow_to_the_end("ana", accepted)
            await system.quiet()
            assert await system.sql("select * from traces") == []
            admin = {"Authorization": f"Bearer {await system.token('root', groups=['admin'])}"}
            story = (await system.http.get(system.at(f"/admin/turns/{accepted['turnId']}"), headers=admin)).json()
    turn = next(span for span in receiver.spans if span.name == "turn")
    told = attributes(turn.attributes)
    assert (told["lanekeeper.turn"], told["lanekeeper.state"]) == (accepted["turnId"], "done")
    assert told["lanekeeper.prompt.version"] == story["promptVersion"]
    assert {span.parent_span_id for span in receiver.spans if span.name in {"load", "commit"}} == {turn.span_id}
    assert receiver.headers[0]["authorization"] == "Basic a2V5"
    assert b"Pixel" not in b"".join(request.SerializeToString() for request in receiver.requests)
    assert story["trace"] is None
    assert story["state"] == "done"
