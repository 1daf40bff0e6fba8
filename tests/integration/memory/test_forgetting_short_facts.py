"""Facts that are hardly more than their subject are forgotten as well (W4)."""

from collections.abc import Callable

import pytest

from lanekeeper.limits import Limits
from lanekeeper.memory.forgetting import Forgotten, forget
from lanekeeper.memory.masking import FORGOTTEN
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs
from tests.integration.memory.past import Past


@pytest.fixture
async def past(connect_as: ConnectAs, database_as: Callable[[str], Database]) -> Past:
    return Past(await connect_as(), database_as("worker"))


@pytest.fixture
def database(database_as: Callable[[str], Database]) -> Database:
    return database_as("worker")


async def ask_to_forget(database: Database, subject: str) -> Forgotten:
    async with database.transaction(user_id="ana") as transaction:
        return await forget(transaction, "ana", subject, Limits())


@pytest.mark.parametrize("subject", ["pregnant", "pregnancy", "I am pregnant"])
async def test_a_short_fact_that_is_nothing_but_its_subject_is_forgotten_too_w4(
    past: Past, database: Database, subject: str
) -> None:
    for number, text in enumerate(["I am pregnant.", "I like tea."]):
        await past.say(f"m{number}", text)
        await past.add({"type": "human", "id": f"m{number}", "content": text})
    await past.owner.execute(
        "insert into summaries (conversation_id, user_id, body, covers_until) values ('ana', 'ana', %s, 3)",
        ["- Is pregnant; bakes bread."],
    )
    assert await ask_to_forget(database, subject) == Forgotten(messages=1, summaries=1)
    assert [row["content"] for row in await past.thread("ana")] == [FORGOTTEN, "I like tea."]
    assert await past.column("select body from summaries") == ["bakes bread."]
    assert await past.column("select id from messages where forgotten") == ["m0"]


async def test_a_summary_loses_what_one_dislikes_with_the_note_of_it_w4(past: Past, database: Database) -> None:
    await past.say("m1", "I don't like mushrooms")
    await past.note("m1", "mushrooms", "I don't like mushrooms")
    await past.owner.execute(
        "insert into summaries (conversation_id, user_id, body, covers_until) values ('ana', 'ana', %s, 3)",
        ["- Does not like mushrooms.\n- Likes tea."],
    )
    assert (await ask_to_forget(database, "mushrooms")).count == 1
    assert await past.column("select body from summaries") == ["- Likes tea."]
