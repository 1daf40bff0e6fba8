"""Memory through the running system, with no scripted model: told, kept, recalled elsewhere, forgotten (W4, R1, R2)."""

import json
import re
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.devkit.system import Reply, System, SystemProcess, someone

FACT = re.compile(r"\bAna\b")


@pytest.fixture(scope="module")
def process() -> Iterator[SystemProcess]:
    """A system that waits for memory however busy the machine is."""
    running = SystemProcess({"LIMIT_RECALL_WAIT_S": "10"}, workers=2, zero_delay=True)
    yield running
    running.stop()


@pytest.fixture
async def system(process: SystemProcess) -> AsyncIterator[System]:
    async with System(**process.ready) as running:
        yield running
        await running.recall()


async def say(system: System, person: str, text: str, **body: str) -> tuple[str, Reply]:
    accepted = await system.say(person, text, **body)
    return accepted["conversationId"], await system.follow_to_the_end(person, accepted)


async def leans(system: System, person: str) -> None:
    """The next message is judged to lean on earlier talk."""
    await system.dev("decisions", {"sub": person, "answers": {"refers_to_earlier": 1.0}})


async def sent(system: System, person: str, since: int = 0) -> list[str]:
    """What went to the model for a person, from a request on."""
    features = ("chat", "summary", "notes")
    bodies = [json.dumps(one["body"], ensure_ascii=False) for one in (await system.requests(person))[since:]]
    others = [one for feature in features[1:] for one in await system.requests(person, feature)]
    return bodies + [json.dumps(one["body"], ensure_ascii=False) for one in others]


async def test_what_is_remembered_in_one_conversation_answers_in_another(system: System) -> None:
    person = someone("ana")
    _, kept = await say(system, person, "remember that my sister is called Ana")
    writes = [chunk["data"]["tools"] for chunk in kept.chunks if chunk["type"] == "data-writes"]
    assert writes == [["memory_remember"]]
    await leans(system, person)
    _, reply = await say(system, person, "what is my sister called?")
    assert FACT.search(reply.text)
    last = (await system.requests(person))[-1]["body"]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "system"], "a new conversation"
    assert "<recalled>" in last[-1]["content"]


async def test_what_is_forgotten_does_not_come_back_in_the_talk_in_another_or_by_night_b062(system: System) -> None:
    person = someone("ana")
    first, _ = await say(system, person, "remember that my sister is called Ana")
    await say(system, person, "and what is the capital of France?", conversationId=first)
    await leans(system, person)
    asked = len(await system.requests(person))
    _, gone = await say(system, person, "forget my sister's name", conversationId=first)
    assert not FACT.search(gone.text)
    assert await system.sql("select * from notes where user_id = %s", [person]) == []
    # The request that asks for it still reads the talk as it was; none after it does.
    told = await sent(system, person, asked + 1)
    for conversation in ({"conversationId": first}, {}):
        await leans(system, person)
        _, reply = await say(system, person, "what is my sister called?", **conversation)
        assert not FACT.search(reply.text)
    await system.nightly()
    assert await system.sql("select * from notes where user_id = %s", [person]) == []
    await leans(system, person)
    _, reply = await say(system, person, "do you remember what my sister is called?")
    assert not FACT.search(reply.text)
    told += await sent(system, person, asked + 1)
    assert len(told) >= 4
    assert not any(FACT.search(body) for body in told)
    words = json.dumps(await system.transcript(person, first), ensure_ascii=False)
    assert FACT.search(words), "what the person wrote stays theirs to read"


async def test_a_worker_killed_between_a_call_and_its_record_leaves_one_note(system: System) -> None:
    person = someone("ana")
    await system.kill("worker", "after_tool")
    _, reply = await say(system, person, "remember that my sister is called Ana")
    assert "remember that your sister is called Ana" in reply.text
    assert len(await system.sql("select * from notes where user_id = %s", [person])) == 1
