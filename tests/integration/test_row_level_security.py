"""No login role sees or changes another person's rows, even by a statement that forgets its filter.

Nothing here is a list of tables: whatever table a migration adds is walked, for every role, with rows of two people.
"""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

Connection = psycopg.Connection[dict[str, Any]]

ROLES = ["accept", "stream", "worker", "maintenance"]
PEOPLE = ("ana", "ben")
# What belongs to nobody: the product's own settings and history.
NOBODYS = {"settings", "audit_log", "migrations", "spend_days", "nightly_runs", "nightly_clock", "batches"}

TABLES = """
select c.relname as name, c.relrowsecurity as guarded, c.relforcerowsecurity as forced,
       (select a.attname from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
        and a.attname = case c.relname when 'users' then 'id' else 'user_id' end) as owner
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname
"""

# What a row needs: some kinds of rows may be without an id that others must have.
COLUMNS = r"""
select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
       (select substring(pg_get_constraintdef(k.oid) from $$'([^']+)'::$$) from pg_constraint k
        where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum]) as allowed
from pg_attribute a
where a.attrelid = %s::regclass and a.attnum > 0 and not a.attisdropped
  and (a.attnotnull or a.attname like '%%\_id') and a.attidentity = '' and not a.atthasdef
"""

VALUES: dict[str, Callable[[str], Any]] = {
    "text": lambda person: f"{person}-1",
    "text[]": lambda person: [f"{person}-1"],
    "integer": lambda _: 1,
    "bigint": lambda _: 1,
    "json": lambda _: "{}",
    "jsonb": lambda _: "{}",
    "date": lambda _: "2030-01-01",
    "timestamp with time zone": lambda _: "2030-01-01",
    "boolean": lambda _: True,
    "bytea": lambda _: b"1",
}


def own_row(connection: Connection, table: dict[str, Any], person: str) -> dict[str, Any]:
    """A row of that table that belongs to a person, as far as the table insists."""
    columns = connection.execute(COLUMNS, [f"public.{table['name']}"]).fetchall()
    row = {column["name"]: column["allowed"] or VALUES[column["type"]](person) for column in columns}
    return {**row, table["owner"]: person}


def insert(table: dict[str, Any], row: dict[str, Any]) -> sql.Composed:
    return sql.SQL("insert into {} ({}) values ({})").format(
        sql.Identifier(table["name"]),
        sql.SQL(", ").join(map(sql.Identifier, row)),
        sql.SQL(", ").join(map(sql.Literal, row.values())),
    )


@pytest.fixture
def superuser(database_url: str) -> Iterator[Connection]:
    with psycopg.connect(database_url, autocommit=True, row_factory=dict_row) as connection:
        # Rows of one table alone: what they refer to does not matter here.
        connection.execute("set session_replication_role = replica")
        yield connection


@pytest.fixture
def tables(superuser: Connection) -> list[dict[str, Any]]:
    """All tables of people, each with a row of Ana's and one of Ben's."""
    found = [table for table in superuser.execute(TABLES).fetchall() if table["name"] not in NOBODYS]
    for table in found:
        for person in PEOPLE:
            superuser.execute(insert(table, own_row(superuser, table, person)))
    return found


def allowed(superuser: Connection, table: dict[str, Any], role: str, deed: str) -> bool:
    row = superuser.execute(
        "select has_table_privilege(%s, %s, %s) as allowed",
        [f"lanekeeper_{role}", f"public.{table['name']}", deed],
    ).fetchone()
    return bool(row and row["allowed"])


def owners(connection: Connection, table: dict[str, Any]) -> list[str]:
    statement = sql.SQL("select {} as owner from {}").format(*map(sql.Identifier, (table["owner"], table["name"])))
    return sorted(row["owner"] for row in connection.execute(statement).fetchall())


def test_every_table_of_people_names_its_person_and_is_guarded(superuser: Connection) -> None:
    tables = superuser.execute(TABLES).fetchall()
    assert {table["name"] for table in tables if table["owner"] is None} == NOBODYS
    guarded = {table["name"] for table in tables if table["guarded"] and table["forced"]}
    assert {table["name"] for table in tables} - guarded == NOBODYS


def test_no_view_shows_rows_past_the_guard(superuser: Connection) -> None:
    views = superuser.execute(
        "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace "
        "where n.nspname in ('public', 'lanekeeper') and (c.relkind = 'm' or (c.relkind = 'v' "
        "and not coalesce(c.reloptions @> array['security_invoker=true'], false)))"
    ).fetchall()
    assert views == []


@pytest.mark.parametrize("role", ROLES)
def test_a_role_sees_the_named_persons_rows_only(
    superuser: Connection, tables: list[dict[str, Any]], url_as: Callable[[str], str], role: str
) -> None:
    seen = 0
    with psycopg.connect(url_as(role), autocommit=True, row_factory=dict_row) as connection:
        for table in tables:
            if not allowed(superuser, table, role, "select"):
                continue
            seen += 1
            for person in (None, "", "nobody", *PEOPLE):
                if person is not None:
                    connection.execute("select set_config('lanekeeper.user_id', %s, false)", [person])
                expected = [person] if person in PEOPLE else []
                assert owners(connection, table) == expected, (table["name"], person)
            connection.execute("reset lanekeeper.user_id")
    assert seen > 0


@pytest.mark.parametrize("role", ROLES)
def test_a_role_changes_the_named_persons_rows_only(
    superuser: Connection, tables: list[dict[str, Any]], url_as: Callable[[str], str], role: str
) -> None:
    with psycopg.connect(url_as(role), autocommit=True, row_factory=dict_row) as connection:
        for table in tables:
            name, owner = sql.Identifier(table["name"]), sql.Identifier(table["owner"])
            connection.execute("select set_config('lanekeeper.user_id', 'ana', false)")
            if allowed(superuser, table, role, "update"):
                steal = sql.SQL("update {} set {} = 'ana'").format(name, owner)
                assert connection.execute(steal).rowcount == 1, table["name"]
                with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                    connection.execute(sql.SQL("update {} set {} = 'ben'").format(name, owner))
            if allowed(superuser, table, role, "insert"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                    connection.execute(insert(table, own_row(superuser, table, "ben")))
            if allowed(superuser, table, role, "delete"):
                with connection.transaction(force_rollback=True):
                    assert connection.execute(sql.SQL("delete from {}").format(name)).rowcount == 1, table["name"]
            assert owners(superuser, table) == list(PEOPLE), table["name"]


@pytest.mark.parametrize("role", ROLES)
def test_no_role_empties_a_table_or_changes_its_guard(
    superuser: Connection, tables: list[dict[str, Any]], url_as: Callable[[str], str], role: str
) -> None:
    with psycopg.connect(url_as(role), autocommit=True) as connection:
        for table in tables:
            name = sql.Identifier(table["name"])
            for forbidden in ("truncate {}", "alter table {} disable row level security", "drop table {}"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(sql.SQL(forbidden).format(name))
        for forbidden in ("set role lanekeeper_dispatch", "set row_security = off; select * from users"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(forbidden)


def test_the_setting_does_not_outlive_its_transaction(
    url_as: Callable[[str], str], tables: list[dict[str, Any]]
) -> None:
    with psycopg.connect(url_as("accept"), autocommit=True, row_factory=dict_row) as connection:
        with connection.transaction():
            connection.execute("select set_config('lanekeeper.user_id', 'ana', true)")
            assert connection.execute("select id from users").fetchall() == [{"id": "ana"}]
        # Not unset now but empty, which must mean nobody too.
        assert connection.execute("select id from users").fetchall() == []


def test_the_walk_really_meets_two_people_everywhere(superuser: Connection, tables: list[dict[str, Any]]) -> None:
    assert {table["name"]: owners(superuser, table) for table in tables} == {
        table["name"]: list(PEOPLE) for table in tables
    }
