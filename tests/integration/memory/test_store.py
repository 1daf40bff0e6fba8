"""How notes are saved: one stands for a subject, and each comes from a message of its person."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.limits import Limits
from lanekeeper.memory.recall import recall
from lanekeeper.memory.refusals import Refusal
from lanekeeper.memory.rules import Note, Source
from lanekeeper.memory.store import Saved, save
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs

MESSAGES = {
    "day1": ("user", "I don't drink coffee"),
    "day5": ("user", "I have two coffees a day now"),
    "day6": ("user", "I avoid caffeine in the evening"),
    "thanks": ("user", "ok thanks"),
    "guess": ("assistant", "you seem to be a pilot"),
}


@pytest.fixture
async def owner(connect_as: ConnectAs) -> Any:
    connection = await connect_as()
    for person in ("ana", "ben"):
        await connection.execute("insert into users (id) values (%s)", [person])
        await connection.execute(
            "insert into conversations (id, user_id, agent_id) values (%(id)s, %(id)s, 'a')", {"id": person}
        )
    for key, (role, _) in MESSAGES.items():
        await connection.execute(
            "insert into messages (user_id, id, conversation_id, role, parts) values ('ana', %s, 'ana', %s, '[]')",
            [key, role],
        )
    return connection


@pytest.fixture
def database(owner: Any, database_as: Callable[[str], Database]) -> Database:
    return database_as("worker")


async def keep(
    database: Database, key: str, body: str, source: Source = "stated", *, person: str = "ana", subject: str = "coffee"
) -> Saved:
    note = Note(kind="fact", subject=subject, body=body, source=source, source_message_id=key)
    async with database.transaction(user_id=person) as transaction:
        return await save(transaction, person, note, MESSAGES[key][1], Limits())


async def rows(owner: Any) -> list[tuple[str, bool]]:
    found = await owner.execute("select body, replaced_by is null as stands from notes order by saved_at, id")
    return [(row["body"], row["stands"]) for row in await found.fetchall()]


async def test_of_two_statements_the_newer_stands_and_a_guess_changes_nothing_b060(
    database: Database, owner: Any
) -> None:
    first = await keep(database, "day1", "does not drink coffee")
    second = await keep(database, "day5", "has two coffees a day", subject="My Coffee")
    assert await keep(database, "day6", "avoids caffeine", "inferred") == Saved()
    assert await rows(owner) == [("does not drink coffee", False), ("has two coffees a day", True)]
    chain = await (await owner.execute("select id, replaces, replaced_by from notes order by saved_at")).fetchall()
    assert [tuple(row.values()) for row in chain] == [(first.id, None, second.id), (second.id, first.id, None)]
    assert [hit.id for hit in (await recall(database, "ana", "drink coffee?", Limits())).hits] == [second.id]


async def test_two_writers_at_once_leave_one_note_standing(
    owner: Any, database: Database, database_as: Callable[[str], Database]
) -> None:
    await asyncio.gather(
        *(
            keep(writer, key, body)
            for writer, key, body in (
                (database, "day1", "does not drink coffee"),
                (database_as("worker"), "day5", "has two coffees a day"),
            )
        )
    )
    assert [stands for _, stands in await rows(owner)].count(True) == 1


async def test_only_what_the_person_wrote_becomes_a_note_b066(database: Database, owner: Any) -> None:
    for key, body in (
        ("thanks", "customer lives in Oslo"),
        ("thanks", "Write one fact per note"),
        ("guess", "seems to be a pilot"),
    ):
        for source in ("stated", "inferred"):
            assert await keep(database, key, body, source) == Saved(refused=Refusal.UNGROUNDED)  # type: ignore[arg-type]
    assert await rows(owner) == []


async def test_a_note_cannot_come_from_another_persons_message_b064(database: Database, owner: Any) -> None:
    assert await keep(database, "day1", "does not drink coffee", person="ben") == Saved(refused=Refusal.UNGROUNDED)
    assert await rows(owner) == []


async def test_a_refusal_reaches_the_writer_and_nothing_is_kept(database: Database, owner: Any) -> None:
    assert (await keep(database, "day1", "the password is coffee1")).refused is Refusal.SECRET
    assert await rows(owner) == []


async def test_a_note_whose_time_is_over_keeps_no_other_out(database: Database, owner: Any) -> None:
    await keep(database, "day1", "does not drink coffee")
    await owner.execute("update notes set expires_at = lanekeeper.now() - interval '1 second'")
    assert (await keep(database, "day6", "avoids caffeine", "inferred")).id is not None
    assert await rows(owner) == [("does not drink coffee", False), ("avoids caffeine", True)]


async def test_a_note_is_kept_as_long_as_the_notice_says_w5(database: Database, owner: Any) -> None:
    note = Note(kind="fact", subject="coffee", body="has two coffees a day", source="stated", source_message_id="day5")
    async with database.transaction(user_id="ana") as transaction:
        await save(transaction, "ana", note, MESSAGES["day5"][1], Limits(note_kept_days=30))
    row = await (
        await owner.execute("select expires_at - saved_at = interval '30 days' as exact from notes")
    ).fetchone()
    assert row["exact"]


async def test_what_was_said_last_stands_although_what_was_said_before_is_read_after_it(
    database: Database, owner: Any
) -> None:
    await keep(database, "day5", "has two coffees a day")
    assert await keep(database, "day1", "does not drink coffee") == Saved()
    assert await rows(owner) == [("has two coffees a day", True)]


async def test_one_message_says_one_thing_once_whatever_it_is_called(database: Database, owner: Any) -> None:
    await keep(database, "day5", "I have two coffees a day now", subject="coffee habit")
    assert await keep(database, "day5", "has two coffees a day", subject="coffee") == Saved()
    assert (await keep(database, "day6", "avoids caffeine in the evening", subject="evening")).id is not None
    assert len(await rows(owner)) == 2


async def test_a_note_of_more_than_five_hundred_words_is_cut_and_what_is_left_is_found_w1(
    database: Database, owner: Any
) -> None:
    said = "I keep oolong " + " ".join(f"w{number}" for number in range(700))
    note = Note(kind="fact", subject="tea", body=said, source="stated", source_message_id="day5")
    async with database.transaction(user_id="ana") as transaction:
        saved = await save(transaction, "ana", note, said, Limits())
    ((body, stands),) = await rows(owner)
    assert (len(body.split()), stands) == (500, True)
    assert [hit.id for hit in (await recall(database, "ana", "oolong w496", Limits())).hits] == [saved.id]
    assert (await recall(database, "ana", "w650", Limits())).hits == ()


async def test_two_things_in_one_message_are_two_notes(database: Database, owner: Any) -> None:
    said = "I like tea, I fly to Lisbon in May and again to Lisbon in June"
    await owner.execute(
        "insert into messages (user_id, id, conversation_id, role, parts) values ('ana', 'many', 'ana', 'user', '[]')"
    )
    facts = {"tea": "likes tea", "trip": "flies to Lisbon in May", "second trip": "flies to Lisbon in June"}
    for subject, body in facts.items():
        note = Note(kind="fact", subject=subject, body=body, source="stated", source_message_id="many")
        async with database.transaction(user_id="ana") as transaction:
            assert (await save(transaction, "ana", note, said, Limits())).id is not None
