"""Forgetting, and a person's look at their notes, find their rows by index, however many people there are (W4)."""

from typing import Any, LiteralString, cast

import pytest

from lanekeeper.memory.clearing import SQL as CLEARING
from lanekeeper.memory.forgetting import SQL as FORGETTING
from lanekeeper.memory.own import SQL as OWN
from tests.conftest import ConnectAs
from tests.integration.test_plans import scanned

PEOPLE = 1500

FILL = """
insert into users (id) select 'u' || n from generate_series(1, %(people)s) n;
insert into profiles (user_id) select 'u' || n from generate_series(1, %(people)s) n;
insert into lanes (user_id) select 'u' || n from generate_series(1, %(people)s) n;
insert into conversations (id, user_id, agent_id) select 'c' || n, 'u' || n, 'a' from generate_series(1, %(people)s) n;
insert into turns (id, user_id, conversation_id, agent_id, reply_id)
  select 't' || n, 'u' || n, 'c' || n, 'a', 'r' from generate_series(1, %(people)s) n;
insert into messages (user_id, id, conversation_id, role, parts, position)
  select 'u' || n, 'm' || m, 'c' || n, 'user', '[]', m from generate_series(1, %(people)s) n, generate_series(1, 5) m;
insert into thread_messages (conversation_id, position, user_id, message_id, message)
  select 'c' || n, m, 'u' || n, 'm' || m, '{}' from generate_series(1, %(people)s) n, generate_series(1, 10) m;
insert into notes (id, user_id, kind, subject, body, source, source_message_id)
  select 'n' || n || '-' || m, 'u' || n, 'fact', 's' || m, 'tea', 'stated', 'm' || m
  from generate_series(1, %(people)s) n, generate_series(1, 3) m;
insert into tombstones (id, user_id, subject)
  select 'x' || n || '-' || m, 'u' || n, 's' || m from generate_series(1, %(people)s) n, generate_series(1, 3) m;
insert into model_requests (user_id, body) select 'u' || n, '{}' from generate_series(1, %(people)s) n;
insert into late_recalls (conversation_id, user_id, note_ids)
  select 'c' || n, 'u' || n, '{n}' from generate_series(1, %(people)s) n;
insert into note_progress (conversation_id, user_id, position)
  select 'c' || n, 'u' || n, 1 from generate_series(1, %(people)s) n;
insert into summaries (conversation_id, user_id, body, covers_until)
  select 'c' || n, 'u' || n, 'Hello.', 1 from generate_series(1, %(people)s) n;
insert into uploads (id, user_id, name, kind, media_type, bytes, sha256, expires_at)
  select 'f' || n, 'u' || n, 'plan.txt', 'file', 'text/plain', 1, '', lanekeeper.now()
  from generate_series(1, %(people)s) n;
insert into outbox (user_id, conversation_id, turn_id, idempotency_key, intent, data, state)
  select 'u' || n, 'c' || n, 't' || n, 'k' || n, 'reply', '{}', 'sent' from generate_series(1, %(people)s) n;
"""

GIVEN = {
    "user_id": "u50",
    "subject": "s1",
    "note_ids": ["n50-1"],
    "message_id": "m1",
    "message_ids": ["m1"],
    "conversation_id": "c50",
    "conversation_ids": ["c50"],
    "turn_id": "t50",
    "limit": 50,
    "after": "",
    "body": "x",
    "rows": "[]",
    "tombstones": "[]",
    "spelled": ["x"],
    "stems": ["x"],
    "since": "2030-01-01",
    "keys": ["k50"],
    "at": "2030-01-01",
    "id": "f50",
}

STATEMENTS = {
    **{name: FORGETTING for name in FORGETTING if name != "lock_notes"},
    **dict.fromkeys(CLEARING, CLEARING),
    **dict.fromkeys(("standing", "kept", "waits"), OWN),
}
# Only a turn runs these.
OF_TURNS = frozenset({"tombstones", "stones_since", "of_turn", "reply", "keep_reply_from_writer"})


@pytest.mark.parametrize("role", ["worker", "accept"])
async def test_no_statement_of_forgetting_reads_a_table_from_end_to_end(connect_as: ConnectAs, role: str) -> None:
    superuser = await connect_as()
    for statement in FILL.split(";\n"):
        if statement.strip():
            await superuser.execute(cast("LiteralString", statement), {"people": PEOPLE})
    await superuser.execute("analyze")
    connection: Any = await connect_as(role, user_id="u50")
    for name, statements in STATEMENTS.items():
        if role == "worker" or name not in OF_TURNS:
            cursor = await connection.execute(cast("LiteralString", f"explain (format json) {statements[name]}"), GIVEN)
            (row,) = await cursor.fetchall()
            assert not list(scanned(row["QUERY PLAN"][0]["Plan"])), name
