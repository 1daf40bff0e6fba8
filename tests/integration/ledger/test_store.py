"""Costs, limits and requests as rows, written by the worker's own role (K2, A4, E6)."""

import dataclasses
import logging
from collections.abc import Callable

import psycopg
import pytest

from lanekeeper.errors import LaneLostError
from lanekeeper.lane import Hold
from lanekeeper.ledger import store
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.prices import stored_prices
from lanekeeper.ledger.rules import Price, Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DEFAULT, parse_catalogue
from lanekeeper.postgres import Database
from lanekeeper.postgres.stored_setting import StoredSetting
from tests.conftest import ConnectAs

CALL = Call(user_id="ana", turn_id="turn_1", feature="chat", model="small", body={}, input_tokens=7, call_id="call_1")
USED = Usage(input_tokens=10, cached_tokens=4, output_tokens=3, micros=120, reported=True)

DatabaseAs = Callable[[str], Database]


async def held(connect_as: ConnectAs) -> Hold:
    """Ana's lane, held by us."""
    connection = await connect_as()
    await connection.execute("insert into users (id) values ('ana')")
    await connection.execute("insert into lanes (user_id, epoch) values ('ana', 3)")
    return Hold("ana", 3)


async def cost_rows(connect_as: ConnectAs) -> list[dict[str, object]]:
    connection = await connect_as()
    asked = await connection.execute(
        "select call_id, user_id, turn_id, feature, model, micros, status, input_tokens, cached_tokens, output_tokens"
        " from costs order by id"
    )
    return await asked.fetchall()


async def test_a_call_has_one_row_from_before_it_is_made_to_when_it_is_paid_k2(
    database_as: DatabaseAs, connect_as: ConnectAs
):
    worker, hold = database_as("worker"), await held(connect_as)
    price = Price(input=1_000_000, cached=1_000_000, output=1_000_000)
    await store.open_cost(worker, hold, CALL, price)
    await store.open_cost(worker, hold, CALL, price)
    [before] = await cost_rows(connect_as)
    assert (before["status"], before["micros"], before["input_tokens"]) == ("estimated", 7, 7)
    async with worker.transaction(user_id="ana") as tx:
        await store.settle_cost(tx, CALL, USED, None, failed=False)
        await store.settle_cost(tx, CALL, USED, None, failed=False)
    assert await cost_rows(connect_as) == [
        {
            "call_id": "call_1",
            "user_id": "ana",
            "turn_id": "turn_1",
            "feature": "chat",
            "model": "small",
            "micros": 120,
            "status": "exact",
            "input_tokens": 10,
            "cached_tokens": 4,
            "output_tokens": 3,
        }
    ]


async def test_a_row_that_was_lost_with_the_database_is_written_when_the_call_is_paid(
    database_as: DatabaseAs, connect_as: ConnectAs
):
    async with database_as("worker").transaction(user_id="ana") as tx:
        await store.settle_cost(tx, CALL, USED, None, failed=False)
    [row] = await cost_rows(connect_as)
    assert (row["status"], row["micros"]) == ("exact", 120)


async def test_nobody_can_write_on_anothers_bill(database_as: DatabaseAs):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with database_as("worker").transaction(user_id="eve") as tx:
            await store.settle_cost(tx, CALL, USED, None, failed=False)


async def test_who_lost_the_lane_opens_no_call(database_as: DatabaseAs, connect_as: ConnectAs):
    hold = await held(connect_as)
    with pytest.raises(LaneLostError):
        await store.open_cost(database_as("worker"), Hold("ana", hold.epoch + 1), CALL, None)
    assert await cost_rows(connect_as) == []


async def test_limits_that_were_met_are_counted_e6(database_as: DatabaseAs, connect_as: ConnectAs):
    worker = database_as("worker")
    # Whoever does not know whether it was written writes it again.
    for key in ("met_1", "met_1", "met_2"):
        async with worker.transaction(user_id="ana") as tx:
            await store.count_limit_hit(tx, "ana", "turn_1", "length", key)
    asked = await (await connect_as()).execute("select user_id, turn_id, kind from limit_hits")
    assert await asked.fetchall() == [{"user_id": "ana", "turn_id": "turn_1", "kind": "length"}] * 2


async def test_the_exact_request_of_a_sampled_turn_is_kept_a4(database_as: DatabaseAs, connect_as: ConnectAs):
    body = {"messages": [{"role": "user", "content": "hi"}]}
    hold = await held(connect_as)
    await store.open_cost(database_as("worker"), hold, dataclasses.replace(CALL, body=body), None, kept=True)
    asked = await (await connect_as()).execute("select user_id, turn_id, body from model_requests")
    kept = {"user_id": "ana", "turn_id": "turn_1", "body": {"messages": [{"role": "user", "content": "hi"}]}}
    assert await asked.fetchall() == [kept]


async def test_a_call_without_a_price_is_paid_by_the_table(database_as: DatabaseAs, connect_as: ConnectAs):
    await (await connect_as()).execute(
        "insert into settings (key, value, changed_by) values ('prices', %s, 'test')",
        ['{"small": {"input": 1000000, "output": 2000000}}'],
    )
    prices = stored_prices(Limits())
    async with database_as("worker").transaction(user_id="ana") as tx:
        price = (await prices.read(tx)).get("small")
        await store.settle_cost(tx, CALL, dataclasses.replace(USED, micros=None), price, failed=False)
    [row] = await cost_rows(connect_as)
    assert (row["status"], row["micros"]) == ("exact", 16)


async def test_a_setting_is_read_again_once_it_is_no_longer_believed_b10(
    database_as: DatabaseAs, connect_as: ConnectAs, monkeypatch: pytest.MonkeyPatch
):
    moment = 100.0
    monkeypatch.setattr("lanekeeper.clock.monotonic", lambda: moment)
    admin, accept = await connect_as(), database_as("accept")
    models = StoredSetting("models", parse_catalogue, DEFAULT, believed_s=5)

    async def read() -> list[str]:
        async with accept.transaction() as tx:
            return [model.id for model in (await models.read(tx)).models]

    assert await read() == ["small", "large"]
    await admin.execute(
        "insert into settings (key, value, changed_by) values ('models', %s, 'test')", ['{"models": [{"id": "quick"}]}']
    )
    assert await read() == ["small", "large"]
    assert models.fresh
    moment += 6
    assert await read() == ["quick"]
    await admin.execute("delete from settings")
    moment += 6
    assert await read() == ["small", "large"]


async def test_a_setting_that_cannot_be_read_leaves_the_last_good_one(
    database_as: DatabaseAs, connect_as: ConnectAs, caplog: pytest.LogCaptureFixture
):
    admin, accept = await connect_as(), database_as("accept")
    prices = StoredSetting("prices", lambda row: {"small": Price(**row)}, {}, believed_s=0)
    for value in ('{"input": 1, "cached": 1, "output": 1}', '"broken"'):
        await admin.execute(
            "insert into settings (key, value, changed_by) values ('prices', %s, 'test')"
            " on conflict (key) do update set value = excluded.value",
            [value],
        )
        async with accept.transaction() as tx:
            with caplog.at_level(logging.ERROR):
                assert list(await prices.read(tx)) == ["small"]
    assert "the setting prices cannot be read" in caplog.text
