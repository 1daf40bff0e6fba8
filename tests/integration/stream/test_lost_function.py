"""The stream function is lost in the middle of a reply, in the running system."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import httpx

from tests.devkit.system import System, someone
from tests.integration.stream.validator import needs_validator, validate

STORY = " ".join(f"word {number}" for number in range(60))


async def text_has_come(system: System, person: str) -> None:
    async with asyncio.timeout(30):
        while not await system.sql(
            "select 1 from reply_chunks where user_id = %s and chunk ->> 'type' = 'text-delta'", [person]
        ):
            await asyncio.sleep(0.05)


async def test_a_stream_whose_process_is_killed_goes_on_in_another(system: System) -> None:
    """kill -9 of every stream process, twice, while the reply is written: the client resumes, nothing lost or twice."""
    person = someone()
    await system.model({"text": STORY, "token_delay_ms": 25}, sub=person)
    accepted = await system.say(person, "Tell me a story")
    reading = asyncio.create_task(system.follow_to_the_end(person, accepted))
    await text_has_come(system, person)
    starts = (await system.sandboxes())["stream"]["starts"]
    for _ in range(2):
        for pid in (await system.sandboxes())["stream"]["pids"]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.3)
    reply = await reading
    assert (await system.sandboxes())["stream"]["starts"] > starts
    assert reply.seqs == list(range(1, len(reply.seqs) + 1))
    assert reply.text == STORY
    assert (await system.transcript(person, accepted["conversationId"]))[-1]["parts"][-1]["text"] == STORY


async def test_a_stream_lives_through_five_seconds_without_a_database(system: System) -> None:
    """B048: one connection of the client from beginning to end, if the gateway keeps it."""
    person = someone()
    await system.model({"text": STORY, "token_delay_ms": 60}, sub=person)
    accepted = await system.say(person, "Tell me a story")
    reading = asyncio.create_task(system.follow_to_the_end(person, accepted, cuts=1))
    await text_has_come(system, person)
    await system.outage(5)
    await asyncio.sleep(6)
    # Whoever was writing may have been lost with its connections: the tick finds the turn when its lease is over.
    async with asyncio.timeout(90):
        while not reading.done():
            await system.tick()
            await asyncio.sleep(1)
    reply = await reading
    assert reply.seqs == list(range(1, len(reply.seqs) + 1))
    assert (await system.transcript(person, accepted["conversationId"]))[-1]["parts"][-1]["text"] == reply.text


@needs_validator
async def test_what_the_gateway_sends_keeps_every_strict_rule(system: System, validator: Path) -> None:
    person = someone()
    search = {"calls": [{"name": "web_search", "args": {"query": "tides"}}]}
    await system.model({"text": "Let me look."} | search, {"text": "Twice a day."}, sub=person)
    accepted = await system.say(person, "How often is high tide?")
    await system.follow_to_the_end(person, accepted)
    token = await system.token(person)
    answer = await system.http.get(system.at(accepted["stream"]), headers={"Authorization": f"Bearer {token}"})
    await validate(validator, as_curl_prints(answer), "--expect", "finish")


def as_curl_prints(answer: httpx.Response) -> bytes:
    head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items() if name != "transfer-encoding")
    return f"HTTP/1.1 {answer.status_code} OK\r\n{head}\r\n".encode() + answer.content
