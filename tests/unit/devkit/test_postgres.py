"""The server that the tests stand on."""

from collections.abc import Callable

import psycopg
import pytest

from lanekeeper.postgres import Database
from tests.conftest import ConnectAs
from tests.devkit.postgres import MIGRATOR


async def test_nobody_but_the_checks_is_a_superuser(connect_as: ConnectAs) -> None:
    connection = await connect_as()
    rows = await (
        await connection.execute("select rolname from pg_roles where (rolsuper or rolbypassrls) and rolname !~ '^pg_'")
    ).fetchall()
    assert [row["rolname"] for row in rows] == ["postgres"]


async def test_the_migrator_owns_every_table(connect_as: ConnectAs) -> None:
    connection = await connect_as()
    rows = await (
        await connection.execute("select distinct tableowner from pg_tables where schemaname = 'public'")
    ).fetchall()
    assert [row["tableowner"] for row in rows] == [MIGRATOR]


@pytest.mark.parametrize("role", ["accept", "stream", "worker", "maintenance"])
async def test_each_function_logs_in_as_itself(role: str, connect_as: ConnectAs) -> None:
    connection = await connect_as(role, user_id="ana")
    row = await (await connection.execute("select current_user as me, lanekeeper.person() as person")).fetchone()
    assert row == {"me": f"lanekeeper_{role}", "person": "ana"}


async def test_lower_knows_accents(connect_as: ConnectAs) -> None:
    connection = await connect_as()
    row = await (await connection.execute("select lower('ÀÉÑ') as low")).fetchone()
    assert row == {"low": "àéñ"}


async def test_every_test_has_a_database_of_its_own(database_url: str, database_as: Callable[[str], Database]) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("insert into users (id) values ('ana')")
    async with database_as("accept").transaction(user_id="ana") as tx:
        assert [row["id"] for row in await tx.rows("select id from users")] == ["ana"]
    async with database_as("accept").transaction(user_id="bo") as tx:
        assert await tx.rows("select id from users") == []
