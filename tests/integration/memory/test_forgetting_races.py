"""Forgetting beside whatever else is written at the same moment: it waits, it is waited for, and it wins (W4)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.lane import Hold
from lanekeeper.limits import Limits
from lanekeeper.memory.forgetting import forget
from lanekeeper.memory.masking import FORGOTTEN
from lanekeeper.memory.refusals import Refusal
from lanekeeper.memory.rules import Note
from lanekeeper.memory.store import save
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs
from tests.integration.memory.past import Past

SAID = "my sister is called Ana"
NOTE = Note(kind="fact", subject="sister", body="sister is called Ana", source="stated", source_message_id="m1")


@pytest.fixture
async def past(connect_as: ConnectAs, database_as: Callable[[str], Database]) -> Past:
    past = Past(await connect_as(), database_as("worker"))
    await past.say("m1", SAID)
    return past


@pytest.fixture
def database(database_as: Callable[[str], Database]) -> Database:
    return database_as("worker")


async def forgetting(database: Database) -> Any:
    async with database.transaction(user_id="ana") as transaction:
        return await forget(transaction, "ana", "sister", Limits())


async def is_held_up(task: asyncio.Task[Any]) -> bool:
    done, _ = await asyncio.wait({task}, timeout=0.3)
    return not done


async def test_a_note_that_is_being_saved_is_forgotten_once_it_is_there(past: Past, database: Database) -> None:
    async with past.worker.transaction(user_id="ana") as transaction:
        assert (await save(transaction, "ana", NOTE, SAID, Limits())).id
        later = asyncio.create_task(forgetting(database))
        assert await is_held_up(later)
    assert (await later).count == 1
    assert await past.column("select id from notes") == []


async def test_a_note_that_comes_while_its_fact_is_forgotten_is_refused(past: Past, database: Database) -> None:
    await past.note("m1", "sister", "sister is called Ana")
    async with database.transaction(user_id="ana") as transaction:
        await forget(transaction, "ana", "sister", Limits())
        later = asyncio.create_task(past.keep(NOTE))
        assert await is_held_up(later)
    assert (await later).refused is Refusal.FORGOTTEN


async def test_it_waits_for_a_worker_that_is_writing_and_clears_what_that_wrote(past: Past, database: Database) -> None:
    await past.note("m1", "sister", "sister is called Ana")
    row = {"type": "ai", "id": "a1", "content": "Ana it is."}
    hold = Hold("ana", 0)
    async with hold.transaction(past.worker) as transaction:
        await transaction.rows("select 1")
        later = asyncio.create_task(forgetting(database))
        assert await is_held_up(later)
        await transaction.run(
            "insert into thread_messages (conversation_id, position, user_id, message_id, message) "
            "select 'ana', 1, 'ana', 'a1', jsonb_build_object('type', 'ai', 'id', 'a1', 'content', %(said)s::text)",
            {"said": row["content"]},
        )
    assert (await later).messages == 1
    assert await past.thread("ana") == [row | {"content": FORGOTTEN}]


async def test_a_turn_that_forgets_overtakes_whoever_waits_for_its_lane(past: Past, database: Database) -> None:
    await past.note("m1", "sister", "sister is called Ana")
    async with Hold("ana", 0).transaction(past.worker) as transaction:
        await transaction.rows("select 1")
        # A summary that is to be published waits for the turn's own transaction.
        publishing = asyncio.create_task(
            database.at_once(
                "select forgets from lanes join users on id = user_id where user_id = 'ana' for update", user_id="ana"
            )
        )
        assert await is_held_up(publishing)
        async with asyncio.timeout(5):
            assert (await forget(transaction, "ana", "sister", Limits())).count == 1
    assert await publishing


async def test_two_that_forget_the_same_at_once_forget_it_once(past: Past, database: Database) -> None:
    await past.note("m1", "sister", "sister is called Ana")
    both = await asyncio.gather(forgetting(database), forgetting(past.worker))
    assert sorted(one.count for one in both) == [0, 1]
    assert len(await past.column("select id from tombstones")) == 1
