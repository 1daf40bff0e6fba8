"""The hot path's statements find their rows by index, however many people there are."""

import json
from collections.abc import Iterator
from typing import Any, LiteralString, cast

import pytest

from lanekeeper.graph.thread import SQL as THREAD
from lanekeeper.lane.store import SQL as LANE
from lanekeeper.replies.outbox import SQL as REPLIES
from lanekeeper.turn.intake import SQL as TURN

PEOPLE = 3000

FILL = """
insert into users (id) select 'u' || n from generate_series(1, %(people)s) n;
insert into conversations (id, user_id, agent_id) select 'c' || n, 'u' || n, 'a' from generate_series(1, %(people)s) n;
insert into lanes (user_id, ready_at) select 'u' || n, case when n %% 50 = 0 then lanekeeper.now() end
  from generate_series(1, %(people)s) n;
insert into turns (id, user_id, conversation_id, agent_id, reply_id, state)
  select 't' || n || '-' || m, 'u' || n, 'c' || n, 'a', 'r', 'done'
  from generate_series(1, %(people)s) n, generate_series(1, 5) m;
insert into inbox (user_id, conversation_id, turn_id, accepted_turn_id, message_id, idempotency_key, body_hash,
                   agent_id, state)
  select 'u' || n, 'c' || n, 't' || n || '-' || m, 't' || n || '-' || m, 'm' || m, 'k' || m, 'h', 'a',
         case when n %% 50 = 0 and m = 5 then 'new' else 'done' end
  from generate_series(1, %(people)s) n, generate_series(1, 5) m;
insert into spent_keys (user_id, idempotency_key)
  select 'u' || n, 's' || m from generate_series(1, %(people)s) n, generate_series(1, 5) m;
insert into messages (user_id, id, conversation_id, role, parts, position)
  select 'u' || n, 'm' || m, 'c' || n, 'user', '[]', m from generate_series(1, %(people)s) n, generate_series(1, 5) m;
insert into reply_chunks (turn_id, user_id, seq, chunk)
  select 't' || n || '-1', 'u' || n, m, '{}' from generate_series(1, %(people)s) n, generate_series(1, 10) m;
insert into outbox (user_id, conversation_id, turn_id, idempotency_key, intent, data, state)
  select 'u' || n, 'c' || n, 't' || n || '-1', 'k' || n, 'reply', '{}', 'sent' from generate_series(1, %(people)s) n;
insert into notes (id, user_id, kind, subject, body, source, source_message_id)
  select 'n' || n, 'u' || n, 'fact', 'tea', 'likes tea', 'stated', 'm1' from generate_series(1, %(people)s) n;
insert into late_recalls (conversation_id, user_id, note_ids)
  select 'c' || n, 'u' || n, array['n' || n] from generate_series(1, %(people)s) n;
insert into profiles (user_id, home_city) select 'u' || n, 'Oslo' from generate_series(1, %(people)s) n;
insert into thread_messages (conversation_id, position, user_id, message_id, message)
  select 'c' || n, m, 'u' || n, 'm' || m, '{}' from generate_series(1, %(people)s) n, generate_series(1, 10) m;
insert into summaries (conversation_id, user_id, body, covers_until)
  select 'c' || n, 'u' || n, 'They said hello.', 1 from generate_series(1, %(people)s) n;
"""

WHERE = {
    "user_id": "u50",
    "epoch": 0,
    "conversation_id": "c50",
    "turn_id": "t50-5",
    "agent_id": "a",
    "inbox_id": 50,
    "limit": 10,
    "lease_s": 15,
    "ceiling": 60_000,
    "fill_tokens": 20_000,
    "message_ids": ["m5"],
    "inbox_ids": [50],
    "turn_ids": ["t50-5"],
    "id": 50,
}

STATEMENTS = {
    "start_turn": TURN,
    "joinable_rows": TURN,
    "fold_rows": TURN,
    "drop_folded_turns": TURN,
    "place_messages": TURN,
    "look": LANE,
    "renew_lease": LANE,
    "lock_lane": LANE,
    "release_lane": LANE,
    "chunks": REPLIES,
    "deliver": REPLIES,
    "messages": THREAD,
}


def scanned(plan: dict[str, Any]) -> Iterator[str]:
    """The tables that a plan reads from end to end."""
    if plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"]
    for child in plan.get("Plans", ()):
        yield from scanned(child)


@pytest.fixture
async def crowd(connect_as: Any) -> Any:
    superuser = await connect_as()
    for statement in FILL.split(";\n"):
        if statement.strip():
            await superuser.execute(cast("LiteralString", statement), {"people": PEOPLE})
    await superuser.execute("analyze")
    return superuser


async def test_no_statement_of_the_turn_reads_a_table_from_end_to_end(crowd: Any, connect_as: Any) -> None:
    worker = await connect_as("worker", user_id="u50")
    for name, statements in STATEMENTS.items():
        cursor = await worker.execute(cast("LiteralString", "explain (format json) " + statements[name]), WHERE)
        (row,) = await cursor.fetchall()
        plan = row["QUERY PLAN"]
        assert not list(scanned((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"])), name


ACROSS = ["claim_lane", "lapsed_lanes", "undelivered", "waiting_lanes", "maintenance_is_due"]


@pytest.mark.parametrize("function", ACROSS)
async def test_no_look_across_people_reads_a_table_from_end_to_end(crowd: Any, function: str) -> None:
    cursor = await crowd.execute("select prosrc from pg_proc where proname = %s", [function])
    source = (await cursor.fetchone())["prosrc"]
    for name, value in {
        "claim_lane.holder": "'h'",
        "claim_lane.lease": "interval '15 s'",
        "lapsed_lanes.lease": "interval '15 s'",
        "undelivered.older_than": "interval '5 s'",
        "waiting_lanes.older_than": "interval '5 s'",
    }.items():
        source = source.replace(name, value)
    await crowd.execute("set role lanekeeper_dispatch")
    cursor = await crowd.execute(cast("LiteralString", "explain (format json) " + source))
    (row,) = await cursor.fetchall()
    assert not list(scanned(row["QUERY PLAN"][0]["Plan"]))
