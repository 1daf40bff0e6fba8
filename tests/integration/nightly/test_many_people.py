"""The list of people is made and taken in sets: a hundred thousand of them are a few statements."""

from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.maintenance.coverage import Coverage, Person
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs

MANY = 100_000
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "nowhere")

FILL = f"""
insert into users (id, timezone) select 'u' || n, (array{list(ZONES)!r})[1 + n % 5] from generate_series(1, {MANY}) n;
insert into conversations (id, user_id, agent_id, updated_at)
  select 'c' || n, 'u' || n, 'assistant', '2030-05-01T12:00Z' from generate_series(1, {MANY}) n;
insert into messages (user_id, id, conversation_id, role, parts, position, created_at)
  select 'u' || n, 'm' || n, 'c' || n, 'user', '[]', 1, '2030-05-01T12:00Z' from generate_series(1, {MANY}) n;
insert into note_progress (conversation_id, user_id, position, read_at)
  select 'c' || n, 'u' || n, 1, '2030-05-01T12:30Z' from generate_series(1, {MANY}, 10) n;
create or replace function lanekeeper.now() returns timestamptz language sql stable parallel safe
  as $$ select timestamptz '2030-05-02T05:00Z' $$;
analyze;
"""


@pytest.fixture
async def superuser(connect_as: ConnectAs) -> Any:
    return await connect_as()


async def count(superuser: Any, what: str) -> int:
    cursor = await superuser.execute(f"select count(*) as rows from {what}")
    return int((await cursor.fetchone())["rows"])


async def test_a_hundred_thousand_people_are_listed_at_once_and_taken_chunk_by_chunk(
    superuser: Any, database_as: Callable[[str], Database]
) -> None:
    await superuser.execute(FILL)
    limits = Limits(nightly_batch_people=5000)
    coverage = Coverage(database_as("maintenance"), limits)
    # One in ten is read already. Nobody's day is open: in the latest zone it is one in the night.
    assert await coverage.enqueue(open_days=False) == MANY * 9 // 10
    assert await coverage.enqueue(open_days=False) == 0
    taken: list[Person] = []
    rival = Coverage(database_as("maintenance"), limits)
    while people := [*await coverage.claim(limits.nightly_batch_people), *await rival.claim(70)]:
        taken += people
    assert len(taken) == len({person.user_id for person in taken}) == MANY * 9 // 10
    assert not await coverage.waits()
    assert await count(superuser, "nightly_people where claimed_until is null") == 0


async def test_a_claim_finds_those_who_wait_without_a_look_at_the_rest(superuser: Any) -> None:
    await superuser.execute(
        "insert into users (id) select 'u' || n from generate_series(1, 30000) n;"
        "insert into nightly_people (night, user_id, state, settled_at) "
        "select '2030-05-01', 'u' || n, case when n > 29000 then 'waiting' else 'covered' end, lanekeeper.now() "
        "from generate_series(1, 30000) n; analyze nightly_people"
    )
    cursor = await superuser.execute(
        "explain select night, user_id from nightly_people w where w.state = 'waiting' "
        "and (w.claimed_until is null or w.claimed_until < lanekeeper.now()) order by night, user_id limit 500"
    )
    plan = "\n".join(row["QUERY PLAN"] for row in await cursor.fetchall())
    assert "nightly_people_waiting" in plan
    assert "Sort" not in plan


async def test_finding_what_is_unread_goes_conversation_by_conversation_and_never_through_all_messages(
    superuser: Any,
) -> None:
    await superuser.execute(
        "insert into users (id) select 'u' || n from generate_series(1, 300) n;"
        "insert into conversations (id, user_id, agent_id)"
        " select 'c' || n, 'u' || n, 'a' from generate_series(1, 300) n;"
        "insert into messages (user_id, id, conversation_id, role, parts, position) "
        "select 'u' || n % 300 + 1, 'm' || n, 'c' || n % 300 + 1, 'user', '[]', n from generate_series(1, 60000) n;"
        "insert into note_progress (conversation_id, user_id, position) "
        "select 'c' || n, 'u' || n, 59900 from generate_series(1, 300) n; analyze"
    )
    cursor = await superuser.execute("select prosrc from pg_proc where proname = 'nightly_due'")
    body = (await cursor.fetchone())["prosrc"]
    given = {"nightly_due.open_days": "false", "nightly_due.retry": "interval '1 hour'", "nightly_due.attempts": "7"}
    for name, value in given.items():
        body = body.replace(name, value)
    cursor = await superuser.execute(f"explain {body}")
    plan = "\n".join(row["QUERY PLAN"] for row in await cursor.fetchall())
    assert "messages_history" in plan, plan
    assert "Seq Scan on messages" not in plan
