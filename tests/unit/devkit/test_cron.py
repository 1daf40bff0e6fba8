"""The stand-in for pg_cron reads schedules as cron does and runs jobs as the roles that own them."""

from datetime import UTC, datetime

import psycopg
import pytest

from tests.devkit.postgres import MIGRATOR, Postgres

# A Monday.
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def stand_in(postgres_server: Postgres):
    """The stand-in alone, for what writes nothing."""
    postgres_server.create_database("cron_stand_in")
    postgres_server.install_extensions("cron_stand_in")
    with psycopg.connect(postgres_server.url("cron_stand_in"), autocommit=True) as connection:
        yield connection
    postgres_server.drop_database("cron_stand_in")


@pytest.fixture
def cron(postgres_server: Postgres, empty_database_url: str):
    postgres_server.install_extensions(empty_database_url.rpartition("/")[2])
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def as_migrator(postgres_server: Postgres, empty_database_url: str, cron: object):
    with psycopg.connect(postgres_server.url(empty_database_url.rpartition("/")[2], MIGRATOR), autocommit=True) as own:
        own.execute("create schema app; create table app.runs (who name default current_user, at timestamptz)")
        yield own


def tick(connection: psycopg.Connection, moment: datetime) -> int:
    row = connection.execute("select cron.local_tick(%s)", [moment]).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize(
    ("schedule", "moment", "due"),
    [
        ("* * * * *", NOON, True),
        ("0 12 * * *", NOON, True),
        ("1 12 * * *", NOON, False),
        ("*/15 * * * *", NOON.replace(minute=45), True),
        ("*/15 * * * *", NOON.replace(minute=46), False),
        ("5-10/5 * * * *", NOON.replace(minute=10), True),
        ("10/20 * * * *", NOON.replace(minute=50), True),
        ("0,30 * * * *", NOON.replace(minute=30), True),
        ("0 3 * * *", NOON.replace(hour=3), True),
        ("0 12 * * mon", NOON, True),
        ("0 12 * * 1-5", NOON, True),
        ("0 12 * * 6,7", NOON, False),
        ("0 12 * * 7", NOON.replace(day=29), True),
        ("0 12 * * 0", NOON.replace(day=29), True),
        ("0 12 * NOV *", NOON, True),
        ("0 12 * dec *", NOON, False),
        ("0 12 1 * mon", NOON, True),
        ("0 12 1 * tue", NOON, False),
        ("0 12 30 * tue", NOON, True),
        ("0 12 */2 * mon", NOON, False),
    ],
)
def test_a_schedule_means_the_minutes_that_cron_means(
    stand_in: psycopg.Connection, schedule: str, moment: datetime, *, due: bool
) -> None:
    assert stand_in.execute("select cron.local_due(%s, %s)", [schedule, moment]).fetchone() == (due,)


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "* * * *",
        "* * * * * *",
        "30 seconds",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "5-1 * * * *",
        "*/0 * * * *",
        "x * * * *",
    ],
)
def test_what_is_no_schedule_of_five_fields_is_refused(stand_in: psycopg.Connection, schedule: str) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match="invalid schedule"):
        stand_in.execute("select cron.schedule('job', %s, 'select 1')", [schedule])


def test_a_job_runs_once_a_minute_as_the_role_that_made_it(
    cron: psycopg.Connection, as_migrator: psycopg.Connection
) -> None:
    as_migrator.execute("select cron.schedule('job', '* * * * *', 'insert into app.runs values (default, now())')")
    assert tick(cron, NOON) == 1
    assert tick(cron, NOON.replace(second=59)) == 0
    assert tick(cron, NOON.replace(minute=1)) == 1
    assert as_migrator.execute("select who from app.runs").fetchall() == [(MIGRATOR,), (MIGRATOR,)]
    noted = as_migrator.execute("select status, return_message, username from cron.job_run_details").fetchall()
    assert noted == [("succeeded", "1 row", MIGRATOR)] * 2


def test_a_job_that_fails_is_noted_and_stops_no_other(
    cron: psycopg.Connection, as_migrator: psycopg.Connection
) -> None:
    as_migrator.execute("select cron.schedule('a', '* * * * *', 'select 1 / 0')")
    as_migrator.execute("select cron.schedule('b', '* * * * *', 'insert into app.runs values (default, now())')")
    assert tick(cron, NOON) == 2
    noted = cron.execute("select status, return_message from cron.job_run_details order by runid").fetchall()
    assert noted == [("failed", "ERROR:  division by zero"), ("succeeded", "1 row")]


def test_a_job_of_the_same_name_replaces_the_one_before(
    cron: psycopg.Connection, as_migrator: psycopg.Connection
) -> None:
    first = as_migrator.execute("select cron.schedule('job', '* * * * *', 'select 1')").fetchone()
    second = as_migrator.execute("select cron.schedule('job', '0 3 * * *', 'select 2')").fetchone()
    assert first == second
    assert as_migrator.execute("select schedule, command from cron.job").fetchall() == [("0 3 * * *", "select 2")]
    as_migrator.execute("select cron.unschedule('job')")
    assert cron.execute("select count(*) from cron.job").fetchone() == (0,)
    with pytest.raises(psycopg.errors.RaiseException, match="could not find valid entry"):
        as_migrator.execute("select cron.unschedule('job')")


def test_nobody_sees_or_ends_the_jobs_of_another(cron: psycopg.Connection, as_migrator: psycopg.Connection) -> None:
    cron.execute("select cron.schedule('mine', '* * * * *', 'select 1')")
    assert as_migrator.execute("select count(*) from cron.job").fetchone() == (0,)
    with pytest.raises(psycopg.errors.RaiseException):
        as_migrator.execute("select cron.unschedule('mine')")


def test_an_invoke_in_sql_becomes_a_row_with_the_functions_name(
    cron: psycopg.Connection, as_migrator: psycopg.Connection
) -> None:
    arn = "arn:aws:lambda:eu-central-1:000000000000:function:maintenance:live"
    made = as_migrator.execute(
        "select status_code from aws_lambda.invoke(%s, json_build_object('job', 'tick'), 'eu-central-1', 'Event')",
        [arn],
    ).fetchone()
    assert made == (202,)
    worker = "aws_commons.create_lambda_function_arn('worker', 'eu-central-1')"
    as_migrator.execute(f"select aws_lambda.invoke({worker}, '{{}}'::jsonb, 'Event')")
    rows = cron.execute("select function_name, payload::text from local_lambda.invocations order by id").fetchall()
    assert rows == [("maintenance", '{"job" : "tick"}'), ("worker", "{}")]
    with pytest.raises(psycopg.errors.RaiseException, match="only Event"):
        as_migrator.execute("select aws_lambda.invoke('worker', '{}'::json)")
