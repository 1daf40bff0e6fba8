"""A turn that is stopped or fails between two of its steps: what was shown, stored and remembered is the same."""

import asyncio
from typing import Any

import pytest

from lanekeeper.lane.watch import Watched
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.steps import TurnSteps
from tests.integration.turn.conftest import Talk, kinds, text_of


async def stop_at(talk: Talk, monkeypatch: pytest.MonkeyPatch, owner: type, method: str, turn_id: str) -> None:
    """Run a worker that is asked to stop as it records its answer, and goes no further than this step of that."""
    record, reached = TurnSteps._record, getattr(owner, method)
    halted = asyncio.Event()

    async def recording(steps: TurnSteps, messages: Any) -> None:
        await steps._stream.flush()
        await talk.superuser.execute("update lanes set stop_turn_id = %s", [turn_id])
        await record(steps, messages)
        if owner is TurnSteps:
            await halt()

    async def reaching(*args: Any) -> None:
        await reached(*args)
        await halt()

    async def halt() -> None:
        halted.set()
        await asyncio.sleep(30)

    def stop(watched: Watched) -> None:
        if halted.is_set():
            stop_now(watched)

    stop_now = Watched.stop
    monkeypatch.setattr(Watched, "stop", stop)
    with monkeypatch.context() as patch:
        if owner is not TurnSteps:
            patch.setattr(owner, method, reaching)
        patch.setattr(TurnSteps, "_record", recording)
        running = asyncio.create_task(talk.run())
        await halted.wait()
        patch.undo()  # the turn's end takes the same steps, and takes them freely
    await running


async def remembered(talk: Talk, turn_id: str) -> str:
    rows = await talk.rows("select message from thread_messages where turn_id = %s order by position", turn_id)
    return "".join(row["message"]["content"] for row in rows if row["message"]["type"] == "ai")


async def shown(talk: Talk, turn_id: str) -> str:
    chunks = await talk.chunks(turn_id)
    return "".join(chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta")


async def test_a_stop_after_the_answer_was_recorded_does_not_record_it_twice(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn_id = (await talk.say("hello"))["turn_id"]
    await talk.script({"text": "Hello to you.", "token_delay_ms": 20})
    await stop_at(talk, monkeypatch, TurnSteps, "_record", turn_id)
    (reply,) = await talk.rows("select parts from messages where role = 'assistant'")
    assert await remembered(talk, turn_id) == await shown(talk, turn_id) == text_of(reply["parts"]) == "Hello to you."
    assert kinds(await talk.chunks(turn_id))[-3:] == ["text-end", "finish-step", "abort"]


async def test_a_stop_that_undoes_the_recording_leaves_what_was_shown_remembered_and_paid_for(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn_id = (await talk.say("hello"))["turn_id"]
    await talk.script({"text": "Hello to you.", "token_delay_ms": 20})
    await stop_at(talk, monkeypatch, TurnMeter, "write", turn_id)
    said = await shown(talk, turn_id)
    assert said
    assert await remembered(talk, turn_id) == said
    assert [row["status"] for row in await talk.rows("select status from costs where feature = 'chat'")] == ["exact"]
