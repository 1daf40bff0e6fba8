"""The accept function's statements find their rows by index, however many people and messages there are."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from lanekeeper.conversations.store import SQL as CONVERSATIONS
from lanekeeper.inbox.store import SQL as INBOX
from lanekeeper.people.store import SQL as PEOPLE
from lanekeeper.postgres import Statements
from tests.integration.test_plans import FILL, scanned

VALUES: dict[str, Any] = {
    "user_id": "u50",
    "id": "c50",
    "conversation": "c50",
    "new_conversation_id": "c-new",
    "turn_id": "t-new",
    "turn_ids": ["t50-5"],
    "reply_id": "r-new",
    "message_id": "m-new",
    "again_id": "m-again",
    "kind": "text",
    "tokens": 10,
    "ceiling": 60_000,
    "key": "k-new",
    "fingerprint": "f",
    "may_begin": True,
    "name": None,
    "timezone": None,
    "home": "",
    "token_name": None,
    "home_city": "Oslo",
    "plan_tier": None,
    "budget_amount": None,
    "budget_currency": None,
    "changed": ["home_city"],
    "agent_id": None,
    "first_agent_id": "a",
    "model_id": None,
    "title": "t",
    "sets_model": True,
    "parts": Jsonb([]),
    "payload": Jsonb({}),
    "lane_wait": "1s",
    "at": datetime(2030, 1, 1, tzinfo=UTC),
    "position": 3,
    "limit": 51,
}
LONG = """
insert into messages (user_id, id, conversation_id, role, parts, position)
select 'u60', 'long' || n, 'c60', 'user', '[]', n + 5 from generate_series(1, 20000) n
"""
UPLOADS = """
insert into uploads (id, user_id, name, kind, media_type, bytes, sha256, state, expires_at)
select 'f' || n || '-' || m, 'u' || n, 'a.txt', 'file', 'text/plain', 1, 'h', 'ok', lanekeeper.now()
from generate_series(1, 2000) n, generate_series(1, 5) m
"""
REQUESTS = """
insert into model_requests (user_id, turn_id, body)
select user_id, id, '{}' from turns
"""
ALL = [(room, name) for room in (INBOX, CONVERSATIONS, PEOPLE) for name in room]


@pytest.fixture(scope="module")
def crowd(postgres_server: Any) -> Iterator[Callable[[], psycopg.Connection[dict[str, Any]]]]:
    """Connections to a database with many people in it, as the accept function in the name of one of them."""
    from tests.conftest import TEMPLATE

    postgres_server.create_database("accept_plans", template=TEMPLATE)
    with psycopg.connect(postgres_server.url("accept_plans"), autocommit=True) as superuser:
        for statement in FILL.split(";\n"):
            if statement.strip():
                superuser.execute(statement, {"people": 2000})
        superuser.execute(LONG)
        superuser.execute(UPLOADS)
        superuser.execute(REQUESTS)
        superuser.execute("vacuum analyze")

    def connect() -> psycopg.Connection[dict[str, Any]]:
        url = postgres_server.url("accept_plans", "accept")
        connection = psycopg.connect(url, row_factory=dict_row, cursor_factory=psycopg.ClientCursor)
        connection.execute("select set_config('lanekeeper.user_id', 'u50', false)")
        return connection

    yield connect
    postgres_server.drop_database("accept_plans")


@pytest.mark.parametrize(("room", "name"), ALL, ids=[name for _, name in ALL])
def test_no_statement_reads_a_table_from_end_to_end(crowd: Any, room: Statements, name: str) -> None:
    with crowd() as connection:
        for statement in room[name].split(";\n"):
            explain = "explain (format json) " + statement
            plan = connection.execute(explain, VALUES).fetchone()["QUERY PLAN"][0]["Plan"]
            assert list(scanned(plan)) == []
        connection.rollback()


def test_a_page_of_history_reads_no_more_than_the_page(crowd: Any) -> None:
    """At 20,000 messages of one conversation, both ends of it cost the same."""
    with crowd() as connection:
        connection.execute("select set_config('lanekeeper.user_id', 'u60', false)")
        for name, position in (("newest_messages", None), ("older_messages", 15_000), ("older_messages", 100)):
            values = {**VALUES, "user_id": "u60", "id": "c60", "position": position}
            explain = "explain (analyze, format json) " + CONVERSATIONS[name]
            plan = connection.execute(explain, values).fetchone()["QUERY PLAN"][0]["Plan"]
            assert rows_read(plan) < 200, (name, position)


def rows_read(plan: dict[str, Any]) -> int:
    """The rows that the scans of a plan really touched."""
    children = plan.get("Plans", ())
    own = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) if "Scan" in plan["Node Type"] else 0
    return int(own) + sum(rows_read(child) for child in children)
