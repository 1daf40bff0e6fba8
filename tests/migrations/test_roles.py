"""Who may do what in the database: nobody at run time is more than a plain role."""

from collections.abc import Callable

import psycopg
import pytest

from tests.devkit.postgres import MIGRATOR

LOGINS = ["accept", "stream", "worker", "maintenance"]


def test_no_role_of_the_product_is_above_row_level_security(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        roles = connection.execute(
            "select rolname, rolsuper, rolbypassrls, rolreplication, rolcreaterole, rolcreatedb from pg_roles "
            "where rolname like 'lanekeeper%%' and rolname <> %s",
            [MIGRATOR],
        ).fetchall()
    assert {name for name, *_ in roles} == {f"lanekeeper_{role}" for role in (*LOGINS, "dispatch", "admin", "recall")}
    assert [name for name, *powers in roles if any(powers)] == []


def test_the_migrator_is_no_superuser_and_cannot_pass_row_level_security(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        powers = connection.execute(
            "select rolsuper, rolbypassrls from pg_roles where rolname = %s", [MIGRATOR]
        ).fetchone()
    assert powers == (False, False)


@pytest.mark.parametrize("role", ["dispatch", "admin", "recall"])
def test_the_roles_that_look_across_people_cannot_log_in(role: str, url_as: Callable[[str], str]) -> None:
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(url_as(role))


def test_the_admin_role_changes_nothing_but_the_audit_log(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        changes = connection.execute(
            "select table_name, privilege_type from information_schema.role_table_grants "
            "where grantee = 'lanekeeper_admin' and privilege_type <> 'SELECT'"
        ).fetchall()
        columns = connection.execute(
            "select distinct table_name::text from information_schema.column_privileges "
            "where grantee = 'lanekeeper_admin' and table_name in "
            "('messages', 'thread_messages', 'reply_chunks', 'outbox', 'conversations', 'users', 'uploads')"
        ).fetchall()
    assert changes == [("audit_log", "INSERT")]
    assert columns == []


def test_the_searching_role_reads_notes_and_nothing_else(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        granted = connection.execute(
            "select distinct table_name::text, privilege_type::text from information_schema.column_privileges "
            "where grantee = 'lanekeeper_recall'"
        ).fetchall()
    assert granted == [("notes", "SELECT")]


@pytest.mark.parametrize("role", LOGINS)
def test_a_function_owns_nothing_and_creates_nothing(role: str, url_as: Callable[[str], str]) -> None:
    """B026: no request can issue DDL, so no cold start ever does."""
    with psycopg.connect(url_as(role), autocommit=True) as connection:
        owned = connection.execute("select relname from pg_class where relowner = current_user::regrole").fetchall()
        assert owned == []
        for schema in ("public", "lanekeeper"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(
                    psycopg.sql.SQL("create table {}.mine (id int)").format(psycopg.sql.Identifier(schema))
                )


@pytest.mark.parametrize("role", LOGINS)
def test_a_function_cannot_change_the_settings(role: str, url_as: Callable[[str], str]) -> None:
    with (
        psycopg.connect(url_as(role), autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("insert into settings (key, value, changed_by) values ('model', '\"x\"', 'me')")


@pytest.mark.parametrize("role", LOGINS)
def test_a_function_cannot_become_another(role: str, url_as: Callable[[str], str]) -> None:
    with psycopg.connect(url_as(role), autocommit=True) as connection:
        for other in {"dispatch", "admin", *LOGINS} - {role}:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(psycopg.sql.SQL("set role {}").format(psycopg.sql.Identifier(f"lanekeeper_{other}")))


def test_functions_that_look_across_people_belong_to_the_dispatch_role(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        functions = connection.execute(
            "select p.proname, p.proowner::regrole::text, p.proconfig from pg_proc p "
            "where p.prosecdef and p.pronamespace in ('public'::regnamespace, 'lanekeeper'::regnamespace)"
        ).fetchall()
    assert functions
    owners = {name: owner for name, owner, _ in functions}
    # A worker's own role may end a worker's connections: no other role needs to be one of it.
    assert owners.pop("end_connections") == "lanekeeper_worker"
    assert owners.pop("recall") == "lanekeeper_recall"
    assert {owner for name, owner in owners.items() if name.startswith("admin_")} == {"lanekeeper_admin"}
    assert {owner for name, owner in owners.items() if not name.startswith("admin_")} == {"lanekeeper_dispatch"}
    unpinned = [name for name, _, config in functions if not any("search_path=" in item for item in config or ())]
    assert unpinned == []


def test_nobody_but_their_users_may_call_functions_that_look_across_people(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        callers = dict(
            connection.execute(
                "select p.proname, array_agg(r.rolname::text order by r.rolname) from pg_proc p, pg_roles r "
                "where p.prosecdef and p.pronamespace = 'lanekeeper'::regnamespace "
                "and r.rolname = any(%s) and has_function_privilege(r.oid, p.oid, 'execute') group by 1",
                [[f"lanekeeper_{role}" for role in LOGINS]],
            ).fetchall()
        )
    strangers = {name: who for name, who in callers.items() if {"lanekeeper_accept", "lanekeeper_stream"} & set(who)}
    # What administrators may look at: accept asks whether one is there before it asks these.
    looks = {name for name in strangers if name.startswith("admin_")}
    assert {tuple(strangers.pop(name)) for name in looks} == {("lanekeeper_accept",)}
    # The stream counts open streams and clears away the rows of dead ones; neither tells anything of anybody.
    assert strangers == {"forget_streams": ["lanekeeper_stream"], "open_streams": ["lanekeeper_stream"]}


@pytest.mark.parametrize("role", LOGINS)
def test_no_chain_of_memberships_leads_from_the_migrating_role_to_a_login_by_token(
    role: str, database_url: str
) -> None:
    """RDS takes no password from a member of rds_iam, and each function's role is one."""
    with psycopg.connect(database_url) as connection:
        row = connection.execute(
            "select pg_has_role(%s, %s, 'usage'), pg_has_role('lanekeeper_dispatch', %s, 'member')",
            [MIGRATOR, f"lanekeeper_{role}", f"lanekeeper_{role}"],
        ).fetchone()
    assert row == (False, False)
