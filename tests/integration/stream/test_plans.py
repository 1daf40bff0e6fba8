"""The stream's statements find their rows by index, however many people there are."""

from typing import Any, LiteralString, cast

import psycopg
import pytest

from lanekeeper.stream.store import SQL
from tests.conftest import ConnectAs
from tests.integration.test_plans import FILL, PEOPLE, scanned

WHERE: dict[str, Any] = {
    "user_id": "u50",
    "conversation_id": "c50",
    "turn_id": "t50-5",
    "after": 3,
    "most": 500,
    "session_id": "s",
    "opened_at": None,
    "silent_s": 15,
    "at_most": 21,
}


@pytest.fixture
async def crowd(connect_as: ConnectAs) -> None:
    superuser = await connect_as()
    for statement in FILL.split(";\n"):
        if statement.strip():
            await superuser.execute(cast("LiteralString", statement), {"people": PEOPLE})
    await superuser.execute(
        "insert into stream_sessions select 'u' || n, 's', lanekeeper.now(), lanekeeper.now()"
        " from generate_series(1, 500) n"
    )
    await superuser.execute("analyze")


@pytest.mark.usefixtures("crowd")
async def test_no_statement_of_the_stream_reads_a_table_from_end_to_end(connect_as: ConnectAs) -> None:
    reader = await connect_as("stream", user_id="u50")
    cursor = psycopg.AsyncClientCursor(reader)
    for name, turn_id in [
        ("find", "t50-5"),
        ("find", None),
        ("glance", "t50-5"),
        ("chunks", "t50-1"),
        ("transcript", "t50-5"),
        ("keep_session", None),
        ("close_session", None),
    ]:
        await cursor.execute(cast("LiteralString", "explain (format json) " + SQL[name]), {**WHERE, "turn_id": turn_id})
        (row,) = await cursor.fetchall()
        assert list(scanned(row["QUERY PLAN"][0]["Plan"])) == [], name
