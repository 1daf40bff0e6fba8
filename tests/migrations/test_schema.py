"""``migrations/schema.sql`` is what the migrations add up to, so that a reader need not add them up."""

import os

import psycopg
import pytest

from tests.conftest import TEMPLATE
from tests.devkit.postgres import Postgres
from tests.devkit.schema import SCHEMA, dump


@pytest.mark.skipif(
    "LOCAL_PG_BIN" in os.environ,
    reason="pg_dump words it differently from one version to the next; the leg without it compares",
)
def test_the_schema_is_the_sum_of_the_migrations(postgres_server: Postgres) -> None:
    assert dump(postgres_server, TEMPLATE) == SCHEMA.read_text(encoding="utf-8"), "run `python3 run.py schema`"


def test_the_stand_ins_of_the_dev_kit_are_no_part_of_it() -> None:
    text = SCHEMA.read_text(encoding="utf-8")
    assert "local_lambda" not in text
    assert "CREATE SCHEMA cron" not in text


def test_whatever_a_deletion_takes_along_is_found_by_index(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        unindexed = connection.execute(
            """
            select c.conrelid::regclass::text, c.conname::text from pg_constraint c
            where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
              select from pg_index i
              where i.indrelid = c.conrelid
                and (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(c.conkey)] @> c.conkey
                -- A column that must equal something is not null: such an index serves as well.
                and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) like '%IS NOT NULL)'))
            """
        ).fetchall()
    assert unindexed == []
