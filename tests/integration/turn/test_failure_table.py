"""Every way a turn can fail: what the person sees, what is stored, what is charged, and that the next message works.

The cases are in ``failure_cases.py``, and ``docs/failures.md`` prints them for operators (T5, E6, B010, B031, B033).
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lanekeeper.replies.contract import BREAK
from lanekeeper.turn.steps import TurnSteps
from tests.integration.turn.conftest import Talk, text_of
from tests.integration.turn.deaths import kill_once
from tests.integration.turn.failure_cases import CASES, Case
from tests.integration.turn.reading import TERMINAL, is_valid_history, shown_text
from tests.integration.turn.toys import CRASH, DAWDLE, PRICE

DOCUMENT = Path(__file__).parents[3] / "docs" / "failures.md"
TOOLS = (CRASH, DAWDLE, PRICE)
PRICES = {model: {"input": 1_000_000, "output": 1_000_000} for model in ("small", "large")}
TURNED_AWAY = (429, 500, 503)


async def live_through(case: Case, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the turn, in the weather of its case."""
    if case.weather == "outage":
        await lose_the_database(talk)
    elif case.weather in {"death", "deaths"}:
        for _ in range(3 if case.weather == "deaths" else 1):
            await kill_once(talk, monkeypatch, TurnSteps, "ask", after=True)
    elif case.weather == "broken":

        async def broken(*_: object) -> None:
            raise ValueError("broken")

        with monkeypatch.context() as patch:
            patch.setattr(TurnSteps, "ask", broken)
            await talk.run(talk.new_engine(tools=TOOLS))
        return
    await talk.run(talk.new_engine(tools=TOOLS))


async def lose_the_database(talk: Talk) -> None:
    """No connection and no new one while the model speaks, then all is well again."""
    running = asyncio.create_task(talk.run(talk.new_engine(tools=TOOLS)))

    async def asked() -> bool:
        return len(await talk.requests()) == 1

    await talk.until(asked)
    await talk.superuser.execute("alter role lanekeeper_worker nologin")
    try:
        await talk.superuser.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where usename = 'lanekeeper_worker' and datname = current_database()"
        )
        await running
    finally:
        await talk.superuser.execute("alter role lanekeeper_worker login")
    await talk.lapse()
    await talk.tick.run()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_b031_a_turn_that_fails_says_so_once_and_leaves_all_in_order(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    await talk.superuser.execute(
        "insert into settings (key, value, changed_by) values ('prices', %s, 'test')", [json.dumps(PRICES)]
    )
    sent = await talk.say("hello")
    await talk.script(*case.replies)
    await live_through(case, talk, monkeypatch)
    await talk.script()

    chunks = await talk.chunks(sent["turn_id"])
    assert [chunk["type"] for chunk in chunks if chunk["type"] in TERMINAL] == ["finish"]
    assert tuple(shown_text(chunks)) == case.sees
    turn = await talk.turn(sent["turn_id"])
    assert (turn["state"], turn["failure"] or "") == (case.state, case.failure)
    (reply,) = await talk.rows("select parts from messages where role = 'assistant'")
    assert text_of(reply["parts"]) == " | ".join(case.sees)
    assert [part["state"] for part in reply["parts"] if part["type"] == "dynamic-tool"] == tools_of(case)
    assert not any(word in str(chunks) for word in ("Traceback", "Error:", "evil", "server_error"))
    assert (await remembered(talk, sent["turn_id"])).replace(BREAK, "") == "".join(case.sees)

    costs = await talk.rows("select status, micros from costs where feature = 'chat' order by id")
    assert tuple(row["status"] for row in costs) == case.calls
    # Only a call that was turned away is free.
    charged = [reply.get("error") not in TURNED_AWAY for reply in case.replies]
    assert [row["micros"] > 0 for row in costs] == charged
    counted = await talk.rows("select kind from limit_hits order by id")
    assert tuple(row["kind"] for row in counted) == case.counted

    await talk.say("and now")
    await talk.script({"text": "Here I am."})
    assert await talk.run(talk.new_engine(tools=TOOLS)) == 1
    assert (await talk.history())[-2:] == [("user", "and now"), ("assistant", "Here I am.")]
    assert is_valid_history((await talk.requests())[-1]["body"]["messages"])


def tools_of(case: Case) -> list[str]:
    calls = sum(len(reply.get("calls", ())) for reply in case.replies)
    return [case.tool] * calls


async def remembered(talk: Talk, turn_id: str) -> str:
    rows: list[dict[str, Any]] = await talk.rows(
        "select message from thread_messages where turn_id = %s order by position", turn_id
    )
    return "".join(row["message"]["content"] for row in rows if row["message"]["type"] == "ai")


def test_the_document_for_operators_prints_this_table() -> None:
    about_turns, _, _ = DOCUMENT.read_text("utf-8").partition("\n## ")
    printed = [line for line in about_turns.splitlines() if line.startswith("| ")]
    assert printed[0].startswith("| What happens |")
    assert printed[1:] == [case.row() for case in CASES]
