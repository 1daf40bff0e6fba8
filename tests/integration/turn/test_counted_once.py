"""What a turn met and what it paid is counted once, whatever becomes of the transaction that says so (E6, K2)."""

import json
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from lanekeeper.lane import Hold
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Usage
from lanekeeper.postgres import Database
from lanekeeper.turn.limits_met import LimitsMet
from lanekeeper.turn.meter import Bill
from lanekeeper.turn.steps import TurnSteps
from tests.conftest import ConnectAs
from tests.integration.turn.conftest import Talk

DatabaseAs = Callable[[str], Database]
HOLD = Hold("ana", 3)


@pytest.fixture
async def superuser(connect_as: ConnectAs) -> Any:
    connection = await connect_as()
    await connection.execute("insert into users (id) values ('ana')")
    await connection.execute("insert into lanes (user_id, epoch) values ('ana', 3)")
    return connection


async def all_of(superuser: Any, statement: str) -> list[dict[str, Any]]:
    return list(await (await superuser.execute(statement)).fetchall())


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [line["kind"] for line in lines if "LimitHits" in line]


async def write_and_break_off(worker: Database, counted: LimitsMet | Bill, *, committed: bool = False) -> None:
    """Write in a transaction that ends in an error: undone, or committed with the answer to that lost."""
    with suppress(ZeroDivisionError):
        async with HOLD.transaction(worker) as transaction:
            await counted.write(transaction)
            await transaction.run("select 1")
            if committed:
                await transaction.connection.execute("commit")
            raise ZeroDivisionError


@pytest.mark.parametrize("committed", [False, True])
async def test_a_limit_is_counted_once_though_its_transaction_broke_off(
    database_as: DatabaseAs, superuser: Any, capsys: pytest.CaptureFixture[str], committed: bool
) -> None:
    worker = database_as("worker")
    limits_met = LimitsMet(SimpleNamespace(hold=HOLD, id="turn_1"))  # type: ignore[arg-type]
    limits_met.count("stuck")
    await write_and_break_off(worker, limits_met, committed=committed)
    assert told(capsys) == []
    limits_met.count("length")
    for _ in range(2):
        async with HOLD.transaction(worker) as transaction:
            await limits_met.write(transaction)
    counted = await all_of(superuser, "select turn_id, kind from limit_hits order by id")
    assert counted == [{"turn_id": "turn_1", "kind": "stuck"}, {"turn_id": "turn_1", "kind": "length"}]
    assert told(capsys) == ["stuck", "length"]


async def test_no_alarm_rings_before_the_books_say_why(
    database_as: DatabaseAs, superuser: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    limits_met = LimitsMet(SimpleNamespace(hold=HOLD, id="turn_1"))  # type: ignore[arg-type]
    limits_met.count("stuck")
    async with HOLD.transaction(database_as("worker")) as transaction:
        await limits_met.write(transaction)
        await transaction.run("select 1")
        assert told(capsys) == []
    assert told(capsys) == ["stuck"]


async def test_a_price_is_written_again_when_its_transaction_broke_off(database_as: DatabaseAs, superuser: Any) -> None:
    worker = database_as("worker")
    bill = Bill(worker, HOLD, {})
    call = Call(user_id="ana", turn_id="turn_1", feature="chat", model="small", body={})
    await bill.opened(call)
    await bill.settled(call, Usage(micros=7, reported=True), failed=False)
    await write_and_break_off(worker, bill)
    assert await all_of(superuser, "select status from costs") == [{"status": "estimated"}]
    async with HOLD.transaction(worker) as transaction:
        await bill.write(transaction)
    assert await all_of(superuser, "select micros, status from costs") == [{"micros": 7, "status": "exact"}]


async def test_a_price_that_cannot_be_written_keeps_no_other_from_the_books_k2(
    database_as: DatabaseAs, superuser: Any
) -> None:
    bill = Bill(database_as("worker"), HOLD, {})
    for micros in (7, 2**63, 9):
        call = Call(user_id="ana", turn_id="turn_1", feature="chat", model="small", body={})
        await bill.opened(call)
        bill.book(call, Usage(micros=micros, reported=True), failed=micros == 9)
        await bill.write_apart()
    written = await all_of(superuser, "select micros, status from costs order by id")
    assert [(row["micros"], row["status"]) for row in written] == [(7, "exact"), (0, "estimated"), (9, "failed")]


async def test_a_turn_that_is_given_up_is_paid_for_k2(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "Hi."})

    async def broken(*_: object) -> None:
        raise ValueError("broken")

    with monkeypatch.context() as patch:
        patch.setattr(TurnSteps, "catch_up", broken)
        patch.setattr(TurnSteps, "_record", broken)
        await talk.run()
    assert (await talk.turn(sent["turn_id"]))["failure"] == "unreadable"
    rows = await talk.rows("select feature, status, output_tokens from costs order by id")
    assert {row["status"] for row in rows} == {"exact"}
    assert [row["output_tokens"] > 0 for row in rows if row["feature"] == "chat"] == [True, True]
