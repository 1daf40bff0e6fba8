"""What the relay adds: from a token's birth in the worker to a client, through Postgres and the stream's own app.

    python -m tests.devkit.bench_relay [--streams 1,20,100] [--ways notify,poll] [--seconds 5]

One process writes as many turns as there are streams, each with the product's own reply stream on a connection of its
own, a token every 20 ms. Another process has as many stream apps, a connection each, as Lambda would have sandboxes.
Prints one JSON object: a run for each way and number of streams. ``token_ms`` counts from a token's birth and so
includes the wait for its batch, ``chunk_ms`` from the writing of the row.
"""

import argparse
import asyncio
import json
import multiprocessing
import time
from collections.abc import Callable
from typing import Any

import psycopg

from lanekeeper.lane import Hold
from lanekeeper.limits import Limits
from lanekeeper.people import Person
from lanekeeper.postgres import Database
from lanekeeper.replies import ReplyStream
from lanekeeper.stream import Relay, StreamApp
from tests.devkit.bench.figures import Spread
from tests.devkit.bench.processes import Cost
from tests.devkit.migrations import migrate
from tests.devkit.postgres import Postgres, role_name

TOKEN_S = 0.02
# Everybody has connected and listens by then.
SETTLE_S, SETTLE_EACH_S = 3.0, 0.05

Json = dict[str, Any]


class Anyone:
    """Believes whoever speaks: tokens are not what is measured."""

    async def person(self, authorization: str | None) -> Person:
        return Person(str(authorization))


def database_as(url: str, role: str) -> Database:
    """A connection of its own for one worker or one stream."""
    return Database(lambda: {"conninfo": url, "user": role_name(role)}, f"bench-{role}")


def seed(url: str, streams: int) -> None:
    """A running turn for each of as many people."""
    with psycopg.connect(url) as connection:
        for table in ("reply_chunks", "stream_sessions", "turns", "lanes", "conversations", "users"):
            connection.execute(f"delete from {table}")
        values = {"streams": streams}
        for statement in (
            "insert into users (id) select 'user-' || n from generate_series(1, %(streams)s) n",
            "insert into lanes (user_id, epoch) select id, 1 from users",
            "insert into conversations (id, user_id, agent_id) select 'conv-' || id, id, 'assistant' from users",
            """insert into turns (id, user_id, conversation_id, state, agent_id, reply_id)
               select 'turn-' || id, id, 'conv-' || id, 'running', 'assistant', 'msg-' || id from users""",
        ):
            connection.execute(statement, values if "%(" in statement else None)


async def write(url: str, streams: int, seconds: float, begin_at: float) -> None:
    """Every turn's tokens, each saying when it was made."""

    async def turn(number: int) -> None:
        user = f"user-{number}"
        database = database_as(url, "worker")
        stream = ReplyStream(database, Hold(user, 1), f"turn-{user}", Limits())
        stream.open(f"msg-{user}", {"id": f"conv-{user}", "title": ""}, {"turnId": f"turn-{user}"})
        stream.begin_step(1)
        await asyncio.sleep(begin_at + TOKEN_S * number / streams - time.monotonic())
        for index in range(round(seconds / TOKEN_S)):
            stream.text(1, f"{time.monotonic():.6f} ")
            await asyncio.sleep(begin_at + TOKEN_S * (index + 1 + number / streams) - time.monotonic())
        stream.complete_text(1, stream.text_so_far(1))
        stream.end_step(1)
        await stream.flush()
        async with database.transaction(user_id=user, durable=False) as transaction:
            await transaction.run(
                "insert into reply_chunks (turn_id, user_id, seq, chunk) values (%(turn)s, %(user)s, %(seq)s,"
                ' \'{"type": "finish"}\')',
                {"turn": f"turn-{user}", "user": user, "seq": stream.next_seq},
            )
        await database.close()

    await asyncio.gather(*(turn(number + 1) for number in range(streams)))


class Listener:
    """One client on one stream app: notes what comes and when."""

    def __init__(self, url: str, number: int, limits: Limits) -> None:
        self.user = f"user-{number}"
        self._database = database_as(url, "stream")
        self._app = StreamApp(Anyone(), Relay(self._database, limits), limits)  # type: ignore[arg-type]
        self.lags: list[float] = []
        self.arrived: dict[int, float] = {}
        self.complete = False

    async def listen(self) -> None:
        path = f"/chat/conv-{self.user}/stream"
        headers = [(b"authorization", self.user.encode())]
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
        await self._app(scope, asyncio.Event().wait, self._take)  # type: ignore[arg-type]
        await self._database.close()

    async def _take(self, message: Any) -> None:
        now, wall = time.monotonic(), time.time()
        for event in message.get("body", b"").split(b"\n\n"):
            if event.startswith(b"id: "):
                seq, data = event.split(b"\n", 1)
                self.arrived[int(seq[4:])] = wall
                chunk = json.loads(data.removeprefix(b"data: "))
                self.lags += [now - float(born) for born in chunk.get("delta", "").split()]
            self.complete |= event == b"data: [DONE]"


async def relay(url: str, streams: int, limits: Limits, patience_s: float) -> Json:
    """Follow every turn to its end; the delays, and what never came."""
    listeners = [Listener(url, number + 1, limits) for number in range(streams)]
    tasks = [asyncio.create_task(listener.listen()) for listener in listeners]
    _, late = await asyncio.wait(tasks, timeout=patience_s)
    for task in late:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {
        "lags": [lag for listener in listeners for lag in listener.lags],
        "arrived": {listener.user: listener.arrived for listener in listeners},
        "complete": sum(listener.complete for listener in listeners),
    }


def _in_process(results: Any, job: Callable[..., Any], *arguments: Any) -> None:
    results.put(asyncio.run(job(*arguments)))


def run(url: str, server_pid: int, way: str, streams: int, seconds: float) -> Json:
    """One run: its figures."""
    seed(url, streams)
    limits = Limits(listen_streams=10_000 if way == "notify" else 0)
    begin_at = time.monotonic() + SETTLE_S + SETTLE_EACH_S * streams
    patience_s = SETTLE_S + SETTLE_EACH_S * streams + seconds * 4 + 20
    context = multiprocessing.get_context("spawn")
    written, heard = context.Queue(), context.Queue()
    writer = context.Process(target=_in_process, args=(written, write, url, streams, seconds, begin_at))
    reader = context.Process(target=_in_process, args=(heard, relay, url, streams, limits, patience_s))
    writer.start()
    reader.start()
    time.sleep(max(0, begin_at - time.monotonic()))
    with Cost(postgres=[server_pid], worker=[writer.pid or 0], stream=[reader.pid or 0]) as cost:
        written.get(timeout=patience_s)
        seen = heard.get(timeout=patience_s)
    writer.join()
    reader.join()
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "select user_id, seq, extract(epoch from created_at)::float8 from reply_chunks"
            " where chunk ->> 'type' = 'text-delta'"
        ).fetchall()
    arrived = seen["arrived"]
    delays = [arrived[user][seq] - made for user, seq, made in rows if seq in arrived[user]]
    expected = streams * round(seconds / TOKEN_S)
    return {
        "way": way,
        "streams": streams,
        "batch_ms": limits.chunk_batch_ms,
        "poll_ms": limits.poll_ms if way == "poll" else None,
        "tokens": len(seen["lags"]),
        "lost_tokens": expected - len(seen["lags"]),
        "lost_chunks": len(rows) - len(delays),
        "complete_streams": seen["complete"],
        "token_ms": Spread.of(seen["lags"], 1000).figures(),
        "chunk_ms": Spread.of(delays, 1000).figures(),
        "cpu_ms_per_1000_tokens": {name: round(s * 1e6 / expected, 1) for name, s in cost.seconds.items()},
        "others_cores": round(cost.others, 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What the relay adds to every token.")
    parser.add_argument("--streams", default="1,20,100", help="how many at once, one run each")
    parser.add_argument("--ways", default="notify,poll", help="notify, poll or both")
    parser.add_argument("--seconds", type=float, default=5, help="of writing, each run")
    options = parser.parse_args()
    numbers, ways = [int(number) for number in options.streams.split(",")], options.ways.split(",")
    with Postgres(durable=True, settings={"max_connections": "400"}) as server:
        server.create_database("relay")
        server.prepare_database("relay", migrate)
        url, pid = server.url("relay"), server_pid(server)
        runs = [run(url, pid, way, number, options.seconds) for number in numbers for way in ways]
    print(json.dumps({"token_every_ms": TOKEN_S * 1000, "runs": runs}, indent=1))


def server_pid(server: Postgres) -> int:
    """The postmaster, whose children are all backends."""
    return int((server.directory / "cluster" / "postmaster.pid").read_text().split()[0])


if __name__ == "__main__":
    main()
