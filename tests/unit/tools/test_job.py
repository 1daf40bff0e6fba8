"""A job that looks things up and answers in a shape, with the tools of the chat (N1, O5)."""

import json
from typing import Literal

from pydantic import BaseModel

from lanekeeper.mainline.structured import ask_structured
from lanekeeper.tools import JobTools, ToolContext, ToolFailure
from tests.unit.mainline.gateway import DONE, SMALL, Book, Play, called, caller, chunk, client, gateway, stream
from tests.unit.tools.toys import CONTEXT, NoteInput, NoteOutput, note_tool, toolset

NOTE = '{"title":"tea","kind":"fact","day":null}'


class Forecast(BaseModel):
    """The weather, as a pun."""

    pun: str
    sky: Literal["clear", "grey"]


def calling(name: str, *arguments: str) -> Play:
    calls = [called(name, given, index) for index, given in enumerate(arguments)]
    return stream(*calls, chunk({}, "tool_calls"), DONE)


FORECAST = calling("Forecast", '{"pun":"Sun day","sky":"clear"}')


async def test_an_agent_with_tools_answers_in_a_shape_and_acts_for_its_person_alone():
    async with gateway() as served, client(served.url) as mainline:
        served.plays += [calling("note_save", NOTE, NOTE), FORECAST]
        job = JobTools(toolset(), CONTEXT)
        answer = await ask_structured(
            mainline,
            SMALL,
            [{"role": "user", "content": "?"}],
            Forecast,
            caller(Book()),
            tools=job.definitions,
            act=job,
            steps=6,
        )
        results = [m for m in json.loads(served.bodies[1])["messages"] if m["role"] == "tool"]
    assert answer.value == Forecast(pun="Sun day", sky="clear")
    assert results == [
        {"role": "tool", "tool_call_id": "c1", "content": '{"text":"ana: tea","items":[]}'},
        {"role": "tool", "tool_call_id": "c2", "content": '{"text":"ana: tea","items":[]}'},
    ]


async def test_a_tool_that_fails_twice_in_a_job_is_not_tried_again_o5():
    tried = []

    async def run(context: ToolContext, given: NoteInput) -> NoteOutput:
        tried.append(given)
        raise ToolFailure("No.", "Stop.")

    async with gateway() as served, client(served.url) as mainline:
        served.plays += [*[calling("note_save", NOTE)] * 4, FORECAST]
        job = JobTools(toolset(note_tool(run)), CONTEXT)
        await ask_structured(mainline, SMALL, [], Forecast, caller(Book()), tools=job.definitions, act=job, steps=6)
        last = json.loads(served.bodies[-1])["messages"][-1]["content"]
    assert len(tried) == 2
    assert "failed too often" in last
