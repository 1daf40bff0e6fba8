"""What a person has forgotten is gone from notes, search, summaries and threads, and does not come back (W4, B062)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.limits import Limits
from lanekeeper.memory.forgetting import Forgotten, forget, forget_note
from lanekeeper.memory.masking import FORGOTTEN
from lanekeeper.memory.recall import recall
from lanekeeper.memory.refusals import Refusal
from lanekeeper.memory.rules import Note
from lanekeeper.memory.store import Saved
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs
from tests.integration.memory.past import Past

LIMITS = Limits()


@pytest.fixture
async def past(connect_as: ConnectAs, database_as: Callable[[str], Database]) -> Past:
    return Past(await connect_as(), database_as("worker"))


@pytest.fixture
def database(database_as: Callable[[str], Database]) -> Database:
    return database_as("worker")


async def ask_to_forget(database: Database, subject: str, *, person: str = "ana", **changed: Any) -> Forgotten:
    async with database.transaction(user_id=person) as transaction:
        return await forget(transaction, person, subject, Limits(**changed))


async def test_a_note_goes_with_its_forebears_its_place_in_the_search_and_every_later_use_w4(
    past: Past, database: Database
) -> None:
    await past.say("m1", "my sister is called Eva")
    await past.note("m1", "sister's name", "sister is called Eva")
    await past.say("m2", "sorry, remember that my sister is called Ana")
    newest = await past.note("m2", "sister's name", "sister is called Ana")
    await past.say("m3", "I like oolong")
    tea = await past.note("m3", "tea", "likes oolong")
    await past.owner.execute(
        "insert into late_recalls (conversation_id, user_id, note_ids) values ('ana', 'ana', %s)", [[tea, newest]]
    )
    assert await ask_to_forget(database, "My sister's name") == Forgotten(("sister name",), 1)
    assert await past.column("select body from notes") == ["likes oolong"]
    assert (await recall(database, "ana", "sister Ana Eva", LIMITS)).hits == ()
    assert await past.column("select note_ids from late_recalls") == []
    assert await past.column("select forgets from users where id = 'ana'") == [1]


async def test_every_thread_of_the_person_loses_what_states_it_and_stays_valid_w4(
    past: Past, database: Database
) -> None:
    await past.say("m1", "remember that my sister is called Ana")
    await past.add({"type": "human", "id": "m1", "content": "remember that my sister is called Ana"})
    args = {"kind": "fact", "subject": "sister's name", "body": "sister is called Ana"}
    call = {"id": "c1", "name": "memory_remember", "args": args}
    await past.add({"type": "ai", "id": "a1", "content": "", "tool_calls": [call], "extra": {"thought": "Ana!"}})
    result = {"type": "tool", "id": "t1", "content": '{"kept":"sister is called Ana"}', "status": "success"}
    await past.add(result | {"tool_call_id": "c1", "name": "memory_remember", "artifact": {"wrote": True, "output": 1}})
    await past.add({"type": "ai", "id": "a2", "content": "I will remember that she is called Ana."})
    await past.add({"type": "human", "id": "m2", "content": "what is my sister called?"}, conversation="other")
    await past.add({"type": "ai", "id": "a3", "content": "ANA, you said."}, conversation="other")
    await past.note("m1", "sister's name", "sister is called Ana")
    await ask_to_forget(database, "sister's name")
    rows = [message for thread in ("ana", "other") for message in await past.thread(thread)]
    assert "ana" not in json.dumps(rows).casefold()
    assert [row["id"] for row in rows] == ["m1", "a1", "t1", "a2", "m2", "a3"]
    assert rows[1]["tool_calls"][0]["id"] == rows[2]["tool_call_id"] == "c1"
    assert rows[2]["artifact"] == {"wrote": True}
    assert [rows[0]["content"], rows[3]["content"], rows[5]["content"]] == [FORGOTTEN] * 3
    assert rows[4]["content"] == "what is my sister called?"
    assert await past.column("select parts -> 0 ->> 'text' from messages where id = 'm1'") == [
        "remember that my sister is called Ana"
    ]


async def test_what_only_a_summary_has_left_of_what_was_said_is_forgotten_as_well_w4(
    past: Past, database: Database
) -> None:
    await past.conversation("ana")
    await past.owner.execute(
        "insert into summaries (conversation_id, user_id, body, covers_until) values ('ana', 'ana', %s, 3)",
        ["- I have promised my son a telescope.\n- I bake bread on Sundays."],
    )
    assert (await ask_to_forget(database, "my daughter")).anything is False
    assert await ask_to_forget(database, "what I promised my son") == Forgotten(summaries=1)
    assert await past.column("select body from summaries") == ["- I bake bread on Sundays."]
    assert await past.column("select forgets from users where id = 'ana'") == [1]
    assert len(await past.column("select id from tombstones")) == 1


async def test_summaries_lose_the_sentences_that_state_it_and_count_a_new_version(
    past: Past, database: Database
) -> None:
    await past.say("m1", "my sister is called Ana")
    await past.note("m1", "sister", "sister is called Ana")
    for conversation, body in (("ana", "They like tea. Their sister is Ana. They plan a trip."), ("other", "No more.")):
        await past.conversation(conversation)
        await past.owner.execute(
            "insert into summaries (conversation_id, user_id, body, covers_until) values (%s, 'ana', %s, 3)",
            [conversation, body],
        )
    await ask_to_forget(database, "sister")
    found = await past.rows("select body, version from summaries order by conversation_id")
    assert found == [
        {"body": "They like tea. They plan a trip.", "version": 2},
        {"body": "No more.", "version": 1},
    ]


async def test_what_was_said_before_does_not_become_a_note_again_and_what_is_said_later_does_b062(
    past: Past, database: Database
) -> None:
    await past.say("m1", "my sister is called Ana")
    await past.say("m2", "Ana my sister is coming on Monday")
    await past.note("m1", "sister's name", "sister is called Ana")
    await ask_to_forget(database, "sister's name")
    for subject, message, body in (
        ("sister's name", "m1", "sister is called Ana"),
        ("family", "m1", "Ana is a sister"),
        ("visit", "m2", "Ana is coming on Monday"),
        ("sister's name", "m2", "sister is coming on Monday"),
    ):
        note = Note(kind="fact", subject=subject, body=body, source="stated", source_message_id=message)
        assert await past.keep(note) == Saved(refused=Refusal.FORGOTTEN), (subject, body)
    # Asked for, another fact about the same subject may be kept at once; the forgotten one may not.
    for body, refused in (("sister is coming on Monday", None), ("sister Ana is coming", Refusal.FORGOTTEN)):
        note = Note(kind="fact", subject="sister's name", body=body, source="stated", source_message_id="m2")
        assert (await past.keep(note, asked=True)).refused is refused
    await past.say("m3", "remember after all: my sister is called Ana", later=True)
    note = Note(
        kind="fact", subject="sister's name", body="sister is called Ana", source="stated", source_message_id="m3"
    )
    assert (await past.keep(note)).id is not None


async def test_the_note_writer_may_not_read_what_states_it(past: Past, database: Database) -> None:
    await past.say("m1", "my sister is called Ana")
    await past.say("m2", "what is the weather?")
    await past.say("m3", "and forget that my sister is called Ana")
    await past.say("a1", "Ana is forgotten.", role="assistant")
    await past.note("m1", "sister's name", "sister is called Ana")
    await ask_to_forget(database, "sister's name")
    assert await past.column("select id from messages where forgotten order by id") == ["a1", "m1", "m3"]


async def test_a_subject_in_other_words_is_what_the_search_agrees_on(past: Past, database: Database) -> None:
    await past.say("m1", "my sister is called Ana and I like tea")
    await past.note("m1", "sister's name", "sister is called Ana")
    await past.note("m1", "tea", "likes tea")
    assert (await ask_to_forget(database, "what my sister is called")).subjects == ("sister name",)
    assert await past.column("select subject from notes") == ["tea"]


async def test_a_note_that_the_search_does_not_find_goes_with_the_words_it_comes_from(
    past: Past, database: Database
) -> None:
    await past.say("m1", "retiens que mon chat s'appelle Minou")
    await past.note("m1", "chat", "le chat s'appelle Minou")
    await past.add({"type": "human", "id": "m1", "content": "retiens que mon chat s'appelle Minou"})
    assert (await ask_to_forget(database, "le nom du chat")).count == 1
    assert await past.column("select body from notes") == []
    assert (await past.thread("ana"))[0]["content"] == FORGOTTEN


async def test_something_else_about_the_same_is_named_and_not_forgotten(past: Past, database: Database) -> None:
    await past.say("m1", "remember that my sister lives in Oslo")
    await past.note("m1", "sister", "sister lives in Oslo")
    await past.add({"type": "human", "id": "m1", "content": "remember that my sister lives in Oslo"})
    assert await ask_to_forget(database, "sister's birthday") == Forgotten(("sister",), ambiguous=True)
    assert await past.column("select body from notes") == ["sister lives in Oslo"]
    assert "Oslo" in (await past.thread("ana"))[0]["content"]


async def test_a_subject_may_be_called_by_another_word_for_it(past: Past, database: Database) -> None:
    await past.say("m1", "I work as a falconer")
    await past.note("m1", "work", "works as a falconer")
    assert (await ask_to_forget(database, "job")).subjects == ("work",)


async def test_a_message_goes_with_the_file_that_states_it(past: Past, database: Database) -> None:
    await past.say("m1", "remember that my sister is called Ana")
    await past.note("m1", "sister", "sister is called Ana")
    for number, text in enumerate(["Family: Ana, Tom.", "Bread, butter."]):
        await past.owner.execute(
            "insert into uploads (id, user_id, name, kind, media_type, bytes, sha256, text, state, expires_at) "
            "values (%s, 'ana', 'list.txt', 'file', 'text/plain', 9, '', %s, 'ok', lanekeeper.now() + '1 day')",
            [f"u{number}", text],
        )
        block = {"type": "upload", "id": f"u{number}", "name": "list.txt", "kind": "file", "mime_type": "text/plain"}
        content = [block, {"type": "text", "text": "what is in it?"}]
        await past.add({"type": "human", "id": f"f{number}", "content": content})
    await ask_to_forget(database, "sister")
    first, second = await past.thread("ana")
    assert first["content"] == FORGOTTEN
    assert len(second["content"]) == 2


async def test_where_several_could_be_meant_nothing_is_forgotten_and_they_are_named(
    past: Past, database: Database
) -> None:
    await past.say("m1", "I fly to Lisbon in May and again to Lisbon in June")
    await past.note("m1", "trip lisbon", "flies to Lisbon in May")
    await past.note("m1", "second trip", "flies to Lisbon in June")
    forgotten = await ask_to_forget(database, "Lisbon")
    assert (sorted(forgotten.subjects), forgotten.count, forgotten.ambiguous) == (
        ["second trip", "trip lisbon"],
        0,
        True,
    )
    assert len(await past.column("select id from notes")) == 2
    assert await past.column("select forgets from users where id = 'ana'") == [0]


async def test_another_note_that_says_the_same_goes_and_one_that_shares_a_name_stays(
    past: Past, database: Database
) -> None:
    await past.say("m1", "my sister is called Ana, my brother is Tom, and I bought a book for Ana as a birthday gift")
    await past.note("m1", "sister's name", "sister is called Ana")
    await past.say("m2", "my sister Ana is family")
    await past.note("m2", "family", "sister Ana")
    await past.note("m1", "birthday gift", "bought a book for Ana as a gift")
    assert (await ask_to_forget(database, "sister's name")).count == 2
    assert await past.column("select subject from notes") == ["birthday gift"]


async def test_nobody_else_loses_anything_b064(past: Past, database: Database) -> None:
    for person in ("ana", "ben"):
        await past.say(f"{person}-1", "my sister is called Ana", person=person)
        await past.note(f"{person}-1", "sister", "sister is called Ana", person=person)
        await past.add({"type": "human", "id": f"{person}-1", "content": "my sister is called Ana"}, person=person)
    await ask_to_forget(database, "sister")
    assert await past.column("select user_id from notes") == ["ben"]
    assert (await past.thread("ben"))[0]["content"] == "my sister is called Ana"
    stones = await past.rows("select * from tombstones")
    assert [stone["user_id"] for stone in stones] == ["ana"]
    assert "ana" not in json.dumps([stone["subject"] for stone in stones] + stones[0]["digests"])


async def test_what_was_said_and_not_yet_noted_is_forgotten_as_well_b062(past: Past, database: Database) -> None:
    await past.say("m1", "By the way: my sister is called Ana. I like tea.")
    await past.add({"type": "human", "id": "m1", "content": "By the way: my sister is called Ana. I like tea."})
    await past.add({"type": "ai", "id": "a1", "content": "Ana is a fine name."})
    await past.add({"type": "human", "id": "m2", "content": "forget my sister's name"})
    await past.say("m2", "forget my sister's name")
    forgotten = await ask_to_forget(database, "sister's name")
    assert (forgotten.count, forgotten.messages, forgotten.anything) == (0, 2, True)
    texts = [row["content"] for row in await past.thread("ana")]
    assert texts == [FORGOTTEN, FORGOTTEN, "forget my sister's name"]
    assert await past.column("select id from messages where forgotten") == ["m1"]
    note = Note(kind="fact", subject="family", body="sister is called Ana", source="stated", source_message_id="m1")
    assert await past.keep(note) == Saved(refused=Refusal.FORGOTTEN)
    assert not (await ask_to_forget(database, "my boat")).anything


async def test_of_many_conversations_every_one_is_looked_through(past: Past, database: Database) -> None:
    await past.say("m1", "my sister is called Ana")
    await past.note("m1", "sister", "sister is called Ana")
    for number in range(7):
        await past.add({"type": "ai", "id": f"a{number}", "content": "Ana."}, conversation=f"c{number}")
    await ask_to_forget(database, "sister", forget_conversations=2)
    assert await past.column("select distinct message ->> 'content' from thread_messages") == [FORGOTTEN]


async def test_one_note_is_forgotten_by_its_id_by_the_role_that_answers_people(
    past: Past, database_as: Callable[[str], Database]
) -> None:
    await past.say("m1", "my sister is called Ana")
    note_id = await past.note("m1", "sister", "sister is called Ana")
    await past.add({"type": "human", "id": "m1", "content": "my sister is called Ana"})
    await past.owner.execute("insert into model_requests (user_id, body) values ('ana', %s)", [Jsonb({"a": "Ana"})])
    accept = database_as("accept")
    for person, count in (("ben", None), ("ana", 1), ("ana", None)):
        async with accept.transaction(user_id=person) as transaction:
            gone = await forget_note(transaction, person, note_id, LIMITS)
            assert (gone and gone.count) == count
    assert (await past.thread("ana"))[0]["content"] == FORGOTTEN
    assert await past.column("select body from model_requests") == []


async def test_a_note_lives_no_longer_than_the_words_it_comes_from(past: Past) -> None:
    await past.say("m1", "my sister is called Ana", conversation="other")
    await past.note("m1", "sister", "sister is called Ana")
    await past.owner.execute("delete from conversations where id = 'other'")
    assert await past.column("select id from notes") == []
