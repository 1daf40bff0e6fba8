"""What keeps a stream alive, and what ends it in time."""

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import psycopg
import pytest

from lanekeeper.postgres import Database
from lanekeeper.stream import StreamApp
from tests.devkit.database_proxy import DatabaseProxy
from tests.integration.stream.author import ANSWER, STEP, Author, text
from tests.integration.stream.conftest import OpenTab, make_app

MakeApp = Callable[..., StreamApp]
WORDS = [f"word {number} " for number in range(40)]


async def listens(app: StreamApp) -> bool:
    """Whether Postgres would tell this app of a NOTIFY."""
    async with app._relay.store._database.transaction() as transaction:
        return bool(await transaction.rows("select pg_listening_channels()"))


async def sessions(author: Author) -> int:
    return int((await author.one("select count(*) as n from stream_sessions"))["n"])


async def test_a_comment_follows_the_last_event_and_then_one_in_every_silence(
    author: Author, open_tab: OpenTab, stream_app: MakeApp
) -> None:
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query, app=stream_app(flush_comment_ms=50, keep_alive_s=0.3)) as tab:
        await tab.until(lambda: tab.raw.count(b": keep-alive\n\n") == 3)
    written = [data for _, data in tab.writes]
    assert written[0] == b": open\n\n"
    assert written[1].startswith(b"id: 1\n")
    assert written[2:6] == [b":\n\n", *[b": keep-alive\n\n"] * 3]
    gaps = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(tab.writes[1:6])]
    assert 0.04 < gaps[0] < 0.25
    assert all(0.25 < gap < 1 for gap in gaps[1:])


def test_the_defaults_keep_what_was_promised() -> None:
    from lanekeeper.limits import Limits

    assert Limits().flush_comment_ms == 200
    assert Limits().keep_alive_s < 15


async def test_a_stream_polls_when_too_many_are_open(author: Author, open_tab: OpenTab, stream_app: MakeApp) -> None:
    turn = await author.turn()
    await turn.begin()
    app = stream_app(listen_streams=0, poll_ms=10, stream_glance_s=30, keep_alive_s=0.1)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        assert not await listens(app)
        for chunk in ANSWER:
            await turn.say(chunk, bell=False)
        await turn.end()
        assert len(await tab.to_end()) == turn.seq


async def test_a_bell_wakes_a_stream_that_would_look_only_later(
    author: Author, open_tab: OpenTab, stream_app: MakeApp
) -> None:
    turn = await author.turn()
    await turn.begin()
    app = stream_app(stream_glance_s=60, stream_seen_s=60, poll_ms=60_000, keep_alive_s=0.1)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        for chunk in ANSWER:
            await turn.say(chunk)
            await tab.until(lambda: len(tab.chunks) == turn.seq)
        await turn.end()
        await tab.to_end()


async def test_what_a_bell_tells_is_not_read_and_what_is_too_long_for_it_is(
    author: Author, open_tab: OpenTab, stream_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = await author.turn()
    await turn.begin()
    app = stream_app(stream_glance_s=60, stream_seen_s=60, keep_alive_s=0.1)
    reads = 0
    read = app._relay.store.chunks

    async def counted(*arguments: Any) -> Any:
        nonlocal reads
        reads += 1
        return await read(*arguments)

    monkeypatch.setattr(app._relay.store, "chunks", counted)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        before = reads
        for chunk in (STEP, *text("text-1", "Grüße ", "\u2028\U0001f600 \\n\n", '{"type": "finish"}')):
            await turn.say(chunk)
            await tab.until(lambda: len(tab.chunks) == turn.seq)
        assert reads == before
        await turn.say(*text("text-2", "x" * 8000))
        await tab.until(lambda: len(tab.chunks) == turn.seq)
        assert reads == before + 1
        await turn.end()
        await tab.to_end()
    assert tab.chunks[3:-1] == [
        STEP,
        *text("text-1", "Grüße ", "\u2028\U0001f600 \\n\n", '{"type": "finish"}'),
        *text("text-2", "x" * 8000),
    ]


async def test_a_lost_bell_costs_a_glance(author: Author, open_tab: OpenTab, stream_app: MakeApp) -> None:
    turn = await author.turn()
    await turn.begin()
    async with open_tab(turn.path, turn.query, app=stream_app(stream_glance_s=0.2, keep_alive_s=0.1)) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        await turn.say(STEP, *text("text-1", "unannounced"), bell=False)
        await tab.until(lambda: len(tab.chunks) == turn.seq)


async def test_b048_a_stream_outlives_its_connection_and_listens_again(
    author: Author, open_tab: OpenTab, stream_app: MakeApp
) -> None:
    """B048: the listening backend is ended again and again, and every chunk arrives."""
    turn = await author.turn()
    await turn.begin()
    await turn.say(STEP, {"type": "text-start", "id": "text-1"})
    app = stream_app(stream_glance_s=60, stream_seen_s=60, keep_alive_s=0.1)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        for word in WORDS[:10]:
            await author.connection.execute(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'test-stream'"
            )
            await turn.say({"type": "text-delta", "id": "text-1", "delta": word})
            await tab.until(lambda: len(tab.chunks) == turn.seq)
        assert await listens(app)
        await turn.say({"type": "text-end", "id": "text-1"})
        await turn.end()
        assert len(await tab.to_end()) == turn.seq


@pytest.fixture
async def proxied(url_as: Callable[[str], str], database_url: str) -> AsyncIterator[tuple[DatabaseProxy, Database]]:
    """The stream's database behind a door that can be shut."""
    parts = psycopg.conninfo.conninfo_to_dict(url_as("stream"))
    proxy = DatabaseProxy(int(str(parts["port"])))
    await proxy.open()
    database = Database(lambda: {**parts, "port": proxy.port}, "test-stream")
    yield proxy, database
    await database.close()
    proxy.refuse()


@pytest.mark.parametrize("listen_streams", [20, 0], ids=["listening", "polling"])
async def test_b048_a_stream_outlives_five_seconds_without_a_database(
    listen_streams: int,
    author: Author,
    open_tab: OpenTab,
    proxied: tuple[DatabaseProxy, Database],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """B048: at most about one error line a second, comments all the while, and then every chunk."""
    proxy, database = proxied
    turn = await author.turn()
    await turn.begin()
    app = make_app(database, listen_streams=listen_streams, keep_alive_s=0.5)
    async with open_tab(turn.path, turn.query, app=app) as tab, open_tab(turn.path, app=app) as other:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        proxy.refuse()
        said = tab.raw.count(b": keep-alive")
        for chunk in ANSWER[:5]:
            await turn.say(chunk)
            await asyncio.sleep(1)
        assert tab.raw.count(b": keep-alive") > said + 5
        await proxy.open()
        for chunk in ANSWER[5:]:
            await turn.say(chunk)
        await turn.end()
        assert len(await tab.to_end()) == turn.seq
        assert await other.to_end() == tab.chunks
    lines = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert 1 <= len(lines) <= 7


async def test_without_a_database_a_new_stream_is_refused_for_now(
    author: Author, open_tab: OpenTab, proxied: tuple[DatabaseProxy, Database]
) -> None:
    proxy, database = proxied
    turn = await author.turn()
    proxy.refuse()
    async with open_tab(turn.path, turn.query, app=make_app(database)) as tab:
        await tab.until(lambda: tab.ended)
        assert tab.status == 503
        assert tab.headers["retry-after"] == "1"


async def test_a_stream_ends_before_its_function_and_resumes(
    author: Author, open_tab: OpenTab, stream_app: MakeApp
) -> None:
    """B037: a long turn comes in slices, and the slices are the whole."""
    turn = await author.turn()
    await turn.begin()
    app = stream_app(stream_reserve_s=1)
    chunks = []

    async def write() -> None:
        for chunk in [STEP, *text("text-1", *WORDS)]:
            await turn.say(chunk)
            await asyncio.sleep(0.03)
        await turn.end()

    writing = asyncio.create_task(write())
    cuts = 0
    for _ in range(20):
        async with open_tab(turn.path, turn.query, app=app, last_event_id=len(chunks) or None, seconds=1.3) as tab:
            chunks += await tab.to_end()
            if tab.done:
                break
        cuts += 1
    await writing
    assert cuts >= 2
    assert len(chunks) == turn.seq
    assert "".join(chunk.get("delta", "") for chunk in chunks) == "".join(WORDS)


@pytest.mark.parametrize("ending", ["left", "cut", "complete"])
async def test_nothing_of_a_stream_is_left_when_it_ends(
    ending: str, author: Author, open_tab: OpenTab, stream_app: MakeApp
) -> None:
    """A process that sleeps with a LISTEN would hold up the queue of notifications for everybody."""
    turn = await author.turn()
    await turn.begin()
    app = stream_app(stream_reserve_s=1, keep_alive_s=0.1)
    async with open_tab(turn.path, turn.query, app=app, seconds=1.5 if ending == "cut" else None) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        assert await sessions(author) == 1
        assert await listens(app)
        if ending == "complete":
            await turn.end()
        if ending != "left":
            await tab.to_end()
    assert await sessions(author) == 0
    assert not await listens(app)


async def test_a_persons_newest_stream_replaces_the_oldest(
    author: Author, open_tab: OpenTab, stream_app: MakeApp
) -> None:
    turn, other = await author.turn(), await author.turn("bob")
    await turn.begin()
    await other.begin()
    app = stream_app(stream_glance_s=0.1, stream_seen_s=0.5, keep_alive_s=0.1)
    async with (
        open_tab(other.path, other.query, user_id="bob", app=app) as bystander,
        open_tab(turn.path, turn.query, app=app) as first,
    ):
        await first.until(lambda: b": keep-alive" in first.raw)
        async with (
            open_tab(turn.path, turn.query, app=app) as second,
            open_tab(turn.path, turn.query, app=app) as third,
        ):
            await third.until(lambda: b": keep-alive" in third.raw)
            assert not first.ended
            async with open_tab(turn.path, turn.query, app=app) as fourth:
                await first.to_end()
                assert first.done
                assert first.chunks[-1]["type"] == "data-turn"
                await turn.say(*ANSWER)
                await turn.end()
                for tab in (second, third, fourth):
                    assert len(await tab.to_end()) == turn.seq
        assert not bystander.ended


async def test_a_dead_process_does_not_count_as_open(author: Author, open_tab: OpenTab, stream_app: MakeApp) -> None:
    turn = await author.turn()
    await turn.begin()
    await author.connection.execute(
        "insert into stream_sessions select user_id, 'dead-' || n, lanekeeper.now() + interval '1 hour',"
        " lanekeeper.now() - interval '1 hour' from generate_series(1, 30) n, (values ('ana'), ('bob')) p (user_id)"
    )
    async with open_tab(turn.path, turn.query, app=stream_app(keep_alive_s=0.1, stream_glance_s=0.1)) as tab:
        await tab.until(lambda: tab.raw.count(b": keep-alive") >= 4)
        assert await sessions(author) == 1


async def test_open_streams_survive_the_loss_of_their_rows(
    author: Author, open_tab: OpenTab, stream_app: MakeApp
) -> None:
    """The table is unlogged: a crash of the database empties it."""
    turn = await author.turn()
    await turn.begin()
    app = stream_app(keep_alive_s=0.1, stream_glance_s=0.1, stream_seen_s=0.2)
    async with open_tab(turn.path, turn.query, app=app) as tab:
        await tab.until(lambda: b": keep-alive" in tab.raw)
        await author.connection.execute("truncate stream_sessions")
        async with asyncio.timeout(10):
            while not await sessions(author):
                await asyncio.sleep(0.05)
        await turn.end()
        assert (await tab.to_end())[-1]["type"] == "finish"
