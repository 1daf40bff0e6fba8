"""What is kept for a while goes when its time is over, and nothing else does (K3, A4)."""

from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.maintenance.sweeps import Sweeps
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs

LIMITS = Limits(traces_kept_h=48, requests_kept_h=24)

FILL = """
insert into users (id) values ('ana');
insert into conversations (id, user_id, agent_id) values ('c', 'ana', 'assistant');
insert into turns (id, user_id, conversation_id, agent_id, reply_id)
  select 't' || n, 'ana', 'c', 'assistant', 'r' from generate_series(1, 4) n;
insert into traces (turn_id, user_id, spans, at)
  select 't' || n, 'ana', '[]', lanekeeper.now() - n * interval '23 hours' from generate_series(1, 4) n;
insert into verdicts (turn_id, user_id, source, scores, took_ms, asked_at)
  select 't' || n, 'ana', 'words', '{}', 1, lanekeeper.now() - n * interval '23 hours' from generate_series(1, 4) n;
insert into model_requests (user_id, turn_id, body, at)
  select 'ana', 't' || n, '{}', lanekeeper.now() - n * interval '23 hours' from generate_series(1, 4) n;
"""


@pytest.mark.parametrize(
    ("table", "left"), [("traces", {"t1", "t2"}), ("verdicts", {"t1", "t2"}), ("model_requests", {"t1"})]
)
async def test_a_night_removes_what_has_been_kept_long_enough(
    database_as: Callable[[str], Database], connect_as: ConnectAs, table: str, left: set[str]
) -> None:
    superuser: Any = await connect_as()
    await superuser.execute(FILL)
    swept = await Sweeps(database_as("maintenance"), LIMITS).run()
    rows = await (await superuser.execute(f"select turn_id from {table}")).fetchall()
    assert {row["turn_id"] for row in rows} == left
    assert (swept.traces, swept.verdicts, swept.requests) == (2, 2, 3)
    again = await Sweeps(database_as("maintenance"), LIMITS).run()
    assert (again.traces, again.verdicts, again.requests) == (0, 0, 0)


NOTES = """
insert into users (id) values ('ana');
insert into conversations (id, user_id, agent_id) values ('c', 'ana', 'assistant');
insert into messages (user_id, id, conversation_id, role, parts, position) values ('ana', 'm', 'c', 'user', '[]', 1);
insert into notes (id, user_id, kind, subject, body, source, source_message_id, expires_at, replaced_by) values
  ('for ever', 'ana', 'fact', 'a', 'a', 'stated', 'm', null, null),
  ('not yet', 'ana', 'fact', 'b', 'b', 'stated', 'm', lanekeeper.now() + interval '1 hour', null),
  ('over', 'ana', 'fact', 'c', 'c', 'stated', 'm', lanekeeper.now() - interval '1 second', null),
  ('over and replaced', 'ana', 'fact', 'c', 'c', 'stated', 'm', lanekeeper.now() - interval '1 hour', 'over');
"""


async def test_a_night_removes_notes_whose_time_is_over_as_the_notice_says_w5(
    database_as: Callable[[str], Database], connect_as: ConnectAs
) -> None:
    superuser: Any = await connect_as()
    await superuser.execute(NOTES)
    assert (await Sweeps(database_as("maintenance"), LIMITS).run()).notes == 2
    rows = await (await superuser.execute("select id from notes")).fetchall()
    assert {row["id"] for row in rows} == {"for ever", "not yet"}
