"""How a turn uses its connections and what it leaves in the database (T1, B022, B024)."""

import asyncio
from typing import Any, LiteralString

import psycopg
import pytest

from lanekeeper.graph import Thread
from lanekeeper.postgres import Database
from tests.integration.turn.conftest import Talk


async def test_b022_thirty_turns_leave_one_row_a_message_and_nothing_else(talk: Talk, database_as) -> None:
    for number in range(30):
        await talk.say("x" * 500)
        await talk.script({"text": f"answer {number} " + "y" * 480})
        await talk.run()
    rows = await talk.rows("select count(*) as n, sum(pg_column_size(m.*)) as bytes from thread_messages m")
    assert rows[0]["n"] == 60
    state = 30 * 1000
    assert rows[0]["bytes"] < 2 * state
    thread = Thread("conv_ana", "ana")
    await thread.load(database_as("worker"))
    assert len(thread.messages) == 60
    await talk.superuser.execute("delete from users where id = 'ana'")
    assert await talk.rows("select * from thread_messages") == []


async def test_b024_no_transaction_stays_open_across_a_model_call_but_the_lane_locks(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"text": "Hello.", "delay_s": 0.4})
    running = asyncio.create_task(talk.run())

    async def asked() -> bool:
        return len(await talk.requests()) == 1

    await talk.until(asked)
    rows = await talk.rows(
        "select state, xact_start is not null as inside, backend_xid is not null as wrote from pg_stat_activity "
        "where usename = 'lanekeeper_worker' and datname = current_database()"
    )
    assert [row["inside"] for row in rows].count(True) == 1
    assert not any(row["wrote"] for row in rows)
    await running


async def prepared_after_three_uses(database: Database) -> list[str]:
    mine: LiteralString = "select id from conversations where user_id = %(user_id)s"
    for _ in range(3):
        await database.at_once(mine, user_id="ana")
        async with database.transaction(user_id="ana") as transaction:
            await transaction.rows(mine, {"user_id": "ana"})
    async with database.transaction() as transaction:
        rows = await transaction.rows("select statement from pg_prepared_statements")
    return [row["statement"] for row in rows if "conversations" in row["statement"]]


async def test_b024_behind_a_pooler_nothing_is_prepared_on_the_server(url_as) -> None:
    database = Database(lambda: {"conninfo": url_as("worker")}, "test-pooled", pooled=True)
    assert await prepared_after_three_uses(database) == []
    await database.close()


async def test_on_a_connection_of_ones_own_postgres_plans_a_statement_once(database_as) -> None:
    statements = await prepared_after_three_uses(database_as("worker"))
    assert len(statements) == 1
    assert statements[0].endswith("select id from conversations where user_id = $1")


async def test_a_statement_that_cannot_be_prepared_is_sent_in_full(database_as) -> None:
    database: Database = database_as("worker")
    for value in ("a", None, "b"):
        ((row,),) = await database.at_once("select %(value)s is null as none", parameters={"value": value})
        assert row["none"] is (value is None)


async def test_a_migration_that_changes_a_prepared_statement_is_not_noticed(database_as, connect_as) -> None:
    database, superuser = database_as("accept"), await connect_as()
    asked: LiteralString = "select * from settings"

    async def in_a_transaction() -> list[dict[str, Any]]:
        async with database.transaction(user_id="ana") as transaction:
            rows = await transaction.rows(asked)
            # What came before it in the same breath is there as well, once.
            assert await transaction.row("select lanekeeper.person() as person") == {"person": "ana"}
        return rows

    async def at_once() -> list[dict[str, Any]]:
        (rows,) = await database.at_once(asked, user_id="ana")
        return rows

    async def left_open() -> list[dict[str, Any]]:
        row = await database.begin(asked)
        await database.roll_back()
        return [row] if row else []

    for number, ask in enumerate((in_a_transaction, at_once, left_open)):
        for _ in range(3):
            assert await ask() == []
        before = await database.connection()
        await superuser.execute(f"alter table settings add column note_{number} text")
        assert await ask() == []
        assert await database.connection() is before
    async with database.transaction() as transaction:
        rows = await transaction.rows("select statement from pg_prepared_statements")
    assert asked not in {row["statement"] for row in rows}
    assert await at_once() == await at_once() == []


async def test_in_the_middle_of_a_transaction_a_changed_statement_undoes_it_once(database_as, connect_as) -> None:
    database, superuser = database_as("accept"), await connect_as()

    async def twice() -> None:
        async with database.transaction() as transaction:
            await transaction.rows("select 1")
            await transaction.rows("select * from settings")

    for _ in range(3):
        await twice()
    await superuser.execute("alter table settings add column note text")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        await twice()
    await twice()


async def test_what_was_put_down_travels_with_the_commit_and_fails_with_it(database_as, connect_as) -> None:
    database, superuser = database_as("worker"), await connect_as()
    await superuser.execute("insert into users (id) values ('ana')")
    await superuser.execute("insert into lanes (user_id) values ('ana')")
    change: LiteralString = "update lanes set turn_id = %(turn_id)s where user_id = 'ana'"
    async with database.transaction(user_id="ana") as transaction:
        transaction.put(change, {"turn_id": "first"})

    async def fail() -> None:
        async with database.transaction(user_id="ana") as transaction:
            transaction.put(change, {"turn_id": "second"})
            transaction.put("select 1 / %(zero)s", {"zero": 0})

    with pytest.raises(psycopg.errors.DivisionByZero):
        await fail()
    async with database.transaction(user_id="ana") as transaction:
        transaction.put(change, {"turn_id": "third"})
        assert await transaction.row("select turn_id from lanes") == {"turn_id": "third"}
    ((row,),) = await database.at_once("select turn_id from lanes", user_id="ana")
    assert row == {"turn_id": "third"}


async def test_a_connection_that_was_ended_is_replaced_within_one_statement(database_as, connect_as) -> None:
    database: Database = database_as("accept")
    async with database.transaction() as transaction:
        row = await transaction.row("select pg_backend_pid() as pid")
    superuser = await connect_as()
    await superuser.execute("select pg_terminate_backend(%s)", [row["pid"]])
    await asyncio.sleep(0.1)
    async with database.transaction(user_id="ana") as transaction:
        again = await transaction.row("select pg_backend_pid() as pid, lanekeeper.person() as person")
    assert again["pid"] != row["pid"]
    assert again["person"] == "ana"


async def test_the_persons_name_ends_with_the_transaction(database_as) -> None:
    database: Database = database_as("accept")
    async with database.transaction(user_id="ana"):
        pass
    ((row,),) = await database.at_once("select lanekeeper.person() as person", user_id="ben")
    assert row["person"] == "ben"
    async with database.transaction() as transaction:
        assert await transaction.row("select lanekeeper.person() as person") == {"person": None}


async def test_a_turn_waits_for_the_disk_four_times(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim, the answer with its price, the end, the delivery. The acceptance before it is the fifth."""
    await talk.say("warm up")
    await talk.script({"text": "Hello."})
    await talk.run()
    durable: list[str] = []
    transaction, at_once = Database.transaction, Database.at_once

    def noted(self: Database, **options: Any) -> Any:
        if options.get("durable", True):
            durable.append(options.get("user_id") or "nobody")
        return transaction(self, **options)

    def noted_at_once(self: Database, *statements: Any, **options: Any) -> Any:
        if options.get("durable", True):
            durable.append(f"{options.get('user_id')} at once")
        return at_once(self, *statements, **options)

    monkeypatch.setattr(Database, "transaction", noted)
    monkeypatch.setattr(Database, "at_once", noted_at_once)
    await talk.say("hello")
    await talk.script({"text": "Hello."})
    await talk.run()
    # The last one looks for a further lane, finds none, and so has nothing to commit.
    assert durable == ["nobody", "ana", "ana", "ana at once", "nobody"]
