"""What is forgotten by another road while a turn runs is in none of its later requests (W4, B062)."""

import asyncio
import json
from collections.abc import Callable

import pytest

from lanekeeper.limits import Limits
from lanekeeper.memory.own import OwnNotes
from lanekeeper.postgres import Database
from lanekeeper.tools import Tool, ToolContext
from tests.integration.turn.conftest import Talk
from tests.integration.turn.toys import Named, Told


@pytest.fixture
def own(database_as: Callable[[str], Database]) -> OwnNotes:
    return OwnNotes(database_as("accept"), Limits())


async def note(talk: Talk, message_id: str) -> None:
    await talk.superuser.execute(
        "insert into notes (id, user_id, kind, subject, body, source, source_message_id) "
        "values ('n1', 'ana', 'fact', 'sister name', 'sister is called Ana', 'stated', %s)",
        [message_id],
    )


async def test_the_next_request_of_a_running_turn_is_without_it(talk: Talk, own: OwnNotes) -> None:
    async def forgetting(context: ToolContext, given: Named) -> Told:
        assert await own.forget("ana", "n1")
        return Told(told="done elsewhere")

    tool = Tool(name="test_wait", description="Waits.", input=Named, output=Told, run=forgetting)
    engine = talk.new_engine(tools=[tool])
    said = await talk.say("remember that my sister is called Ana")
    await note(talk, said["message_id"])
    await talk.script(
        {"text": "Ana, noted."}, {"calls": [{"name": "test_wait", "args": {"name": "it"}}]}, {"text": "Ok."}
    )
    await talk.run(engine)
    await talk.say("what is new?")
    await talk.run(engine)
    before, asked, after = (json.dumps(request["body"]["messages"]) for request in await talk.requests())
    assert "Ana" in before
    assert "Ana" in asked
    assert "Ana" not in after
    assert "done elsewhere" in after


@pytest.mark.parametrize("calls", [[], [{"name": "test_look", "args": {"query": "tea"}}]])
async def test_an_answer_that_was_under_way_brings_it_into_no_later_request(
    talk: Talk, own: OwnNotes, calls: list[dict[str, object]]
) -> None:
    said = await talk.say("remember that my sister is called Ana")
    await note(talk, said["message_id"])
    await talk.script({"text": "Your sister is called Ana.", "calls": calls, "delay_s": 0.5}, {"text": "Ok."})
    running = asyncio.create_task(talk.run())

    async def asked() -> bool:
        return len(await talk.requests()) == 1

    await talk.until(asked)
    assert await own.forget("ana", "n1")
    await running
    await talk.say("what is new?")
    await talk.script({"text": "Nothing."})
    await talk.run()
    _, *later = await talk.requests()
    assert later
    assert not any("Ana" in json.dumps(request["body"]["messages"]) for request in later)


@pytest.mark.parametrize("restarts", [2, 0])
async def test_what_was_recalled_before_is_told_no_more(talk: Talk, own: OwnNotes, restarts: int) -> None:
    async def forgetting(context: ToolContext, given: Named) -> Told:
        assert await own.forget("ana", "n1")
        return Told(told="done elsewhere")

    tool = Tool(name="test_wait", description="Waits.", input=Named, output=Told, run=forgetting)
    engine = talk.new_engine(tools=[tool], restarts=restarts)
    said = await talk.say("remember that my sister is called Ana")
    await note(talk, said["message_id"])
    await talk.script({"text": "Noted."})
    await talk.run(engine)
    await talk.judge(refers_to_earlier=1.0)
    await talk.say("what is my sister called?", conversation_id="another")
    await talk.script({"calls": [{"name": "test_wait", "args": {"name": "it"}}]}, {"text": "Ok."})
    await talk.run(engine)
    _, asked, after = (json.dumps(request["body"]["messages"]) for request in await talk.requests())
    assert "sister is called Ana" in asked
    assert "Ana" not in after
