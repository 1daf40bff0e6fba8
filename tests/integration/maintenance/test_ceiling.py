"""Nobody waits for ever: what waits for a summary that cannot be made is let run all the same (C4)."""

from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from lanekeeper.limits import Limits
from lanekeeper.maintenance.ceiling import Ceiling, NotShortenedError
from lanekeeper.maintenance.compacting import Outcome
from lanekeeper.timers import COMPACTION, IDLE_COMPACTION, Timer
from tests.conftest import ConnectAs
from tests.integration.people import write

LIMITS = Limits()


@dataclass
class Case:
    """A conversation that has grown too long, with a message that waits, and what making a summary comes to."""

    superuser: psycopg.AsyncConnection[dict[str, Any]]
    ceiling: Ceiling = field(init=False)
    outcome: Outcome = field(default_factory=lambda: Outcome("failed"))
    asked: int = 0
    woken: int = 0

    async def run(self, user_id: str, conversation_id: str) -> Outcome:
        self.asked += 1
        return self.outcome

    async def wake(self) -> bool:
        self.woken += 1
        return True

    async def act(self, attempts: int = 1, kind: str = COMPACTION) -> None:
        await self.ceiling.run(Timer(kind, "conv_ana", "ana", "conv_ana", 0, attempts))

    async def rows(self, statement: str) -> list[dict[str, Any]]:
        return await (await self.superuser.execute(statement.encode())).fetchall()


@pytest.fixture
async def case(connect_as: ConnectAs, database_as: Any) -> Case:
    superuser: Any = await connect_as()
    await write(superuser, "ana", "a long one")
    await superuser.execute("update inbox set state = 'waiting', tokens = 12000")
    await superuser.execute("update lanes set ready_at = null")
    await superuser.execute("update conversations set fill_tokens = 50000")
    case = Case(superuser)
    case.ceiling = Ceiling(database_as("maintenance"), case, case.wake, LIMITS)  # type: ignore[arg-type]
    return case


async def test_a_failed_summary_is_to_be_tried_again_and_changes_nothing(case: Case) -> None:
    for attempts in range(1, LIMITS.compaction_attempts):
        with pytest.raises(NotShortenedError):
            await case.act(attempts)
    assert await case.rows("select state from inbox") == [{"state": "waiting"}]
    assert await case.rows("select ready_at from lanes") == [{"ready_at": None}]
    assert (case.asked, case.woken) == (LIMITS.compaction_attempts - 1, 0)


async def test_after_so_many_failures_what_waits_is_let_run_and_counted_once(case: Case) -> None:
    with pytest.raises(NotShortenedError):
        await case.act(LIMITS.compaction_attempts)
    await case.act(LIMITS.compaction_attempts + 1)
    assert await case.rows("select state from inbox") == [{"state": "new"}]
    assert await case.rows("select ready_at is not null as armed from lanes") == [{"armed": True}]
    # It is not held back again on its way to the worker.
    assert await case.rows("select fill_tokens from conversations") == [{"fill_tokens": 0}]
    assert await case.rows("select user_id, kind from limit_hits") == [{"user_id": "ana", "kind": "ceiling"}]
    assert case.woken == 1


async def test_a_summary_that_is_no_longer_needed_is_not_made(case: Case) -> None:
    await case.superuser.execute("update inbox set state = 'done'")
    await case.superuser.execute("update conversations set fill_tokens = 40000")
    await case.act()
    await case.superuser.execute("delete from conversations")
    await case.act()
    assert case.asked == 0


async def test_what_waits_has_one_made_however_short_its_conversation_is(case: Case) -> None:
    case.outcome = Outcome("published", 4, 1)
    await case.superuser.execute("update conversations set fill_tokens = 0")
    await case.act()
    assert case.asked == 1


async def test_before_the_cache_expires_one_is_made_of_any_length(case: Case) -> None:
    case.outcome = Outcome("nothing")
    await case.superuser.execute("update inbox set state = 'done'")
    await case.superuser.execute("update conversations set fill_tokens = 0")
    await case.act(kind=IDLE_COMPACTION)
    assert case.asked == 1
