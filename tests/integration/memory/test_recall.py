"""What a message finds among its person's notes, and that it finds nobody else's."""

from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest

from lanekeeper.limits import Limits
from lanekeeper.memory.recall import Recalled, recall, warm_up
from lanekeeper.memory.rules import Label
from lanekeeper.postgres import Database
from tests.conftest import ConnectAs

# The message that every note comes from.
SAID = """
with talk as (
  insert into conversations (id, user_id, agent_id) values (%s, %s, 'a') on conflict do nothing returning id, user_id
)
insert into messages (user_id, id, conversation_id, role, parts) select user_id, 'm', id, 'user', '[]' from talk
"""

Write = Callable[..., Awaitable[str]]
Ask = Callable[..., Awaitable[list[str]]]


@pytest.fixture
async def note(connect_as: ConnectAs) -> Write:
    """``await note("ana", "likes tea")`` writes a note, each newer than the one before; its id."""
    owner = await connect_as()
    written: list[str] = []

    async def write(person: str, body: str, **columns: Any) -> str:
        written.append(f"n{len(written):04}")
        row = {
            "kind": "fact",
            "subject": "",
            "source": "stated",
            "language": "en",
            "expires_at": None,
            "replaced_by": None,
        } | columns
        await owner.execute("insert into users (id) values (%s) on conflict do nothing", [person])
        await owner.execute(SAID, [person, person])
        await owner.execute(
            "insert into notes (id, user_id, kind, subject, body, source, source_message_id, language, saved_at, "
            "expires_at, replaced_by) values (%(id)s, %(person)s, %(kind)s, %(subject)s, %(body)s, %(source)s, 'm', "
            "%(language)s, '2030-01-01'::timestamptz + make_interval(secs => %(age)s), %(expires_at)s, "
            "%(replaced_by)s)",
            row | {"id": written[-1], "person": person, "body": body, "age": len(written)},
        )
        return written[-1]

    return write


@pytest.fixture
def database(database_as: Callable[[str], Database]) -> Database:
    return database_as("worker")


@pytest.fixture
def ask(database: Database) -> Ask:
    """``await ask("ana", "tea?")`` is the ids that the worker's role finds."""

    async def search(person: str, message: str, **options: Any) -> list[str]:
        found: Recalled = await recall(database, person, message, Limits(), **options)
        return [hit.id for hit in found.hits]

    return search


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("她周末常去北京西边", "北京"),
        ("她周末常去北京西边", "你还记得北京吗"),
        ("新しい靴を買いました", "靴"),
        ("新しい靴を買いました", "新しい靴のこと"),
        ("여행을 좋아해요", "여행"),
        ("여행을 좋아해요", "여행이 어때요?"),
    ],
)
async def test_scripts_without_blanks_are_found_by_their_owner_alone_b054(
    note: Write, ask: Ask, body: str, message: str
) -> None:
    wanted = await note("ana", body)
    await note("ana", "something else")
    await note("ben", "nothing of the kind")
    assert await ask("ana", message) == [wanted]
    assert await ask("ben", message) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("prefers salmón", "SALMON"),
        ("prefers salmon", "Salmo\u0301n?"),
        ("thé", "the\u0301"),
        ("the\u0301", "thé"),
        ("Jürgen's straße", "strasse"),
        ("Jürgen's straße", "jurgen"),
        ("Ju\u0308rgen's STRASSE", "Straße"),
        ("likes hiking in the mountains", "did I hike up a mountain"),
    ],
)
async def test_accents_and_endings_do_not_hide_a_note_b056(note: Write, ask: Ask, body: str, message: str) -> None:
    wanted = await note("ana", body)
    await note("ana", "something else")
    assert await ask("ana", message) == [wanted]


async def test_each_note_has_the_endings_of_its_own_language(note: Write, ask: Ask) -> None:
    wanted = await note("ana", "ist immer freundlich", language="de")
    assert await ask("ana", "freundlichen", languages=["de"]) == [wanted]
    assert await ask("ana", "freundlichen") == []


async def test_a_note_with_a_word_longer_than_an_index_takes_is_found_by_its_other_word_b058(
    note: Write, ask: Ask
) -> None:
    wanted = await note("ana", "x" * 3000 + " ok")
    assert await ask("ana", "ok") == [wanted]
    assert await ask("ana", "y" * 100_000) == []


async def test_a_message_finds_its_own_persons_notes_only_whatever_it_says_b064(note: Write, ask: Ask) -> None:
    anas = await note("ana", "likes oolong")
    bens = await note("ben", "likes oolong")
    for message in ("oolong", "user_id ben oolong", "oolong' or user_id = 'ben", "set lanekeeper.user_id ben oolong"):
        assert await ask("ana", message) == [anas]
        assert await ask("ben", message) == [bens]
    assert await ask("", "oolong") == []


async def test_no_role_but_the_workers_may_search(connect_as: ConnectAs) -> None:
    for role in ("accept", "stream", "maintenance"):
        connection = await connect_as(role, user_id="ana")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute("select lanekeeper.recall('x', '{en}', '{}', 3, 10)")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("allergic to peanuts? no: likes cashews", "cashewz"),
        ("works with Katharina", "Kathrina"),
        ("drinks espresso", "expresso"),
    ],
)
async def test_one_wrong_letter_finds_all_the_same(note: Write, ask: Ask, body: str, message: str) -> None:
    wanted = await note("ana", body)
    await note("ana", "something else")
    assert await ask("ana", f"what about {message}") == [wanted]


async def test_wrong_letters_are_looked_for_only_among_a_bounded_number_of_notes(
    note: Write, connect_as: ConnectAs
) -> None:
    for number in range(10):
        await note("ana", f"drinks espresso {number}")
    worker = await connect_as("worker", user_id="ana")
    search = "select id from lanekeeper.recall('expresso', '{en}', '{}', 3, %s)"
    found = {most: await (await worker.execute(search, [most])).fetchall() for most in (1, 2)}
    assert [len(found[1]), len(found[2])] == [1, 2]


async def test_of_very_many_notes_the_older_ones_are_found_by_their_rare_words(
    note: Write, connect_as: ConnectAs
) -> None:
    oldest = await note("ana", "filler drinks oolong")
    for number in range(50):
        await note("ana", f"filler {number}")
    worker = await connect_as("worker", user_id="ana")
    search = "select id from lanekeeper.recall(%s, '{en}', '{}', 60, 40)"
    assert [row["id"] for row in await (await worker.execute(search, ["oolong"])).fetchall()] == [oldest]
    common = [row["id"] for row in await (await worker.execute(search, ["filler"])).fetchall()]
    assert len(common) == 40
    assert oldest not in common
    both = [row["id"] for row in await (await worker.execute(search, ["filler oolong"])).fetchall()]
    assert both[0] == oldest


@pytest.mark.parametrize(
    "message",
    [
        "-oolong",
        "%",
        "%%",
        "_",
        "!",
        "'",
        "''",
        "\\",
        "a & | ! b:*",
        "<->",
        '"',
        "(((",
        ":*",
        "the of and",
        "",
        "😀",
        "\0",
    ],
)
async def test_ordinary_text_neither_fails_nor_finds_everything(note: Write, ask: Ask, message: str) -> None:
    await note("ana", "plays chess")
    await note("ana", "has a dog")
    assert await ask("ana", message) == []


async def test_numbers_names_and_quoted_words_find(note: Write, ask: Ask) -> None:
    budget = await note("ana", "budget is 12.50 a month")
    band = await note("ana", 'favourite album is "Blue Train" by O\'Neill')
    assert await ask("ana", "was it 12.50?") == [budget]
    assert await ask("ana", "“blue train”") == [band]
    assert await ask("ana", "O'Neill") == [band]


async def test_aliases_find_and_weigh_less_than_what_was_said(note: Write, ask: Ask) -> None:
    other = await note("ana", "sold the automobile")
    said = await note("ana", "washes the car")
    assert await ask("ana", "car", aliases={"car": ["automobile"]}) == [said, other]
    assert await ask("ana", "car") == [said]


async def test_a_word_that_is_said_and_an_alias_at_once_counts_once(note: Write, database: Database) -> None:
    await note("ana", "washes the car")
    await note("ana", "北京")
    found = await recall(database, "ana", "北京 car", Limits(), aliases={"car": ["北京"]})
    assert [hit.share for hit in found.hits] == [pytest.approx(0.5), pytest.approx(0.5)]


async def test_replaced_and_expired_notes_are_never_found(note: Write, ask: Ask) -> None:
    await note("ana", "no coffee", replaced_by="x")
    await note("ana", "coffee at noon", expires_at="2000-01-01")
    stands = await note("ana", "two coffees")
    assert await ask("ana", "coffee") == [stands]


async def test_rare_words_then_the_newer_then_what_was_stated_come_first(note: Write, ask: Ask) -> None:
    rare = await note("ana", "tea from Assam")
    for filler in ("plays chess", "has a dog"):
        await note("ana", filler)
    older = await note("ana", "tea at noon")
    newer = await note("ana", "tea at dawn")
    assert await ask("ana", "tea from assam") == [rare, newer, older]


async def test_a_note_that_repeats_a_word_goes_before_one_that_says_it_once(note: Write, ask: Ask) -> None:
    often = await note("ana", "tea after tea, and then more tea")
    once = await note("ana", "tea at dawn, and then some more cake")
    assert await ask("ana", "tea") == [often, once]


async def test_what_was_noted_one_after_the_other_belongs_together(note: Write, ask: Ask, database: Database) -> None:
    async def fill(person: str, many: int) -> None:
        for number in range(many):
            await note(person, f"filler {number}")

    away = await note("ana", "the hotel had a sauna")
    await fill("ana", 3)
    trip = await note("ana", "spent the spring on Crete")
    await note("ben", "the hotel on Crete had a bar")
    near = await note("ana", "the hotel had a pool")
    await fill("ana", 3)
    newest = await note("ana", "the hotel had a gym")
    assert await ask("ana", "which hotel was it on Crete?") == [trip, near, newest]
    found = await recall(database, "ana", "hotel Crete", Limits())
    shares = {hit.id: hit.share for hit in found.hits}
    assert shares[near] == pytest.approx(shares[newest])
    assert away not in shares


async def test_a_neighbour_that_was_replaced_or_has_run_out_lends_no_words(note: Write, ask: Ask) -> None:
    await note("ana", "spent the spring on Crete", replaced_by="x")
    await note("ana", "spent the autumn on Crete", expires_at="2000-01-01")
    older = await note("ana", "the hotel had a pool")
    newer = await note("ana", "the hotel had a gym")
    assert await ask("ana", "hotel on Crete") == [newer, older]


async def test_what_was_found_is_labelled_by_code(note: Write, database: Database) -> None:
    await note("ana", "the sister is called Ana", subject="sister")
    await note("ana", "flies to Lisbon in May", subject="trip lisbon")
    await note("ana", "flies to Lisbon in June", subject="second trip")
    labels = {
        message: (await recall(database, "ana", message, Limits())).label
        for message in ("sister", "Lisbon", "quantum physics")
    }
    assert labels == {"sister": Label.AGREED, "Lisbon": Label.AMBIGUOUS, "quantum physics": Label.ASK}


async def test_warming_up_dials_and_finds_nobodys_notes_and_never_raises(
    note: Write, database: Database, connect_as: ConnectAs
) -> None:
    await note("ana", "keeps warm")
    await warm_up(database)
    owner = await connect_as()
    dialled = await owner.execute("select from pg_stat_activity where application_name = 'test-worker'")
    assert len(await dialled.fetchall()) == 1
    await warm_up(Database(lambda: {"conninfo": "postgresql://127.0.0.1:1/nowhere"}, "test-nowhere"))


async def test_the_search_finds_its_rows_by_index_among_many_people(connect_as: ConnectAs) -> None:
    owner = await connect_as()
    await owner.execute("insert into users (id) select 'u' || n from generate_series(1, 500) n")
    for number in range(1, 501):
        await owner.execute(SAID, [f"u{number}"] * 2)
    await owner.execute(
        "insert into notes (id, user_id, kind, subject, body, source, source_message_id) "
        "select 'n' || n || '-' || m, 'u' || n, 'fact', '', 'likes thing' || m || ' and oolong', 'stated', 'm' "
        "from generate_series(1, 500) n, generate_series(1, 10) m"
    )
    await owner.execute("analyze notes")
    worker = await connect_as("worker", user_id="u7")
    for message in ("thing3 oolong", "oolonk thing3"):
        async with worker.transaction():
            rows = await worker.execute("select * from lanekeeper.recall(%s, '{en}', '{}', 3, 2000)", [message])
            assert (await rows.fetchall())[0]["id"] == "n7-3"
            scans = await worker.execute(
                "select seq_scan, idx_tup_fetch from pg_stat_xact_user_tables where relname = 'notes'"
            )
            seen = await scans.fetchone()
            assert seen is not None
            assert seen["seq_scan"] == 0
            assert seen["idx_tup_fetch"] < 200
