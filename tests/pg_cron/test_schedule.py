"""The true pg_cron runs the product's jobs as their owner, who is no superuser, and starts the maintenance function."""

import json
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.devkit.migrations import migrate
from tests.devkit.postgres import MIGRATOR, Postgres

DATABASE = "product"
PATIENCE_S = 75  # a minute, and a little


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with Postgres(cron_database=DATABASE) as server:
        server.create_database(DATABASE)
        server.prepare_database(DATABASE, migrate)
        yield server


@pytest.fixture
def owner(server: Postgres) -> Iterator[psycopg.Connection[dict[str, Any]]]:
    with psycopg.connect(server.url(DATABASE), autocommit=True, row_factory=dict_row) as connection:
        yield connection


def wait_for(connection: psycopg.Connection[dict[str, Any]], query: str) -> list[dict[str, Any]]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if rows := connection.execute(query).fetchall():  # type: ignore[call-overload]
            return list(rows)
        time.sleep(0.5)
    raise AssertionError(f"nothing within {PATIENCE_S} s: {query}")


def test_the_migrations_schedule_their_jobs_by_the_minute_for_their_owner(
    owner: psycopg.Connection[dict[str, Any]],
) -> None:
    jobs = owner.execute("select jobname, schedule, username, database, active from cron.job").fetchall()
    assert {job["jobname"] for job in jobs} >= {"lanekeeper-tick", "lanekeeper-nightly", "lanekeeper-purge"}
    for job in jobs:
        assert len(job["schedule"].split()) == 5
        assert (job["username"], job["database"], job["active"]) == (MIGRATOR, DATABASE, True)


def test_within_a_minute_a_waiting_lane_starts_the_maintenance_function(
    owner: psycopg.Connection[dict[str, Any]],
) -> None:
    arn = "arn:aws:lambda:eu-central-1:111122223333:function:lanekeeper-maintenance"
    target = json.dumps({"function": arn, "region": "eu-central-1"})
    owner.execute("insert into settings (key, value, changed_by) values ('maintenance', %s, 'test')", [target])
    owner.execute("insert into users (id) values ('u1')")
    owner.execute(
        "insert into lanes (user_id, ready_at) values ('u1', lanekeeper.now() - interval '1 hour') "
        "on conflict (user_id) do update set ready_at = excluded.ready_at"
    )
    invocations = wait_for(owner, "select function_name, payload from local_lambda.invocations")
    assert {(row["function_name"], row["payload"]["job"]) for row in invocations} == {
        ("lanekeeper-maintenance", "tick")
    }
    runs = wait_for(
        owner, "select status, return_message from cron.job_run_details where status in ('succeeded', 'failed')"
    )
    assert [run for run in runs if run["status"] != "succeeded"] == []
