"""What one turn writes as a conversation grows: WAL, rows and waits for the disk; ours whole, the savers alone."""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.devkit.bench import peers
from tests.devkit.bench.figures import Figures, short
from tests.devkit.bench.rivals import Ours
from tests.devkit.bench.scripts.words import words
from tests.devkit.postgres import Postgres
from tests.devkit.system import System

SAID, ANSWERED = 300, 500
# Turns before the measurement: after them each page that will be written has been written since the last checkpoint.
WARM = 5
VARIANTS = ("stock", "stock-exit", "delta", "delta-exit")
# Backends report what they did within ten seconds of falling idle.
REPORTED_S = 11
ROOT = Path(__file__).resolve().parents[3]

# No checkpoint falls into a measurement, or pages would be written whole at random.
STEADY = {"max_wal_size": "8GB", "checkpoint_timeout": "1h"}

# Everything that the product's roles wrote, in WAL and in waits for the disk. What the dev kit's stand-in for
# Lambda's own queue writes is not in it.
WRITTEN = """
select coalesce(sum(wal.wal_bytes), 0)::bigint as wal_bytes, coalesce(sum(io.fsyncs), 0)::bigint as waits
from pg_stat_activity a
cross join lateral pg_stat_get_backend_wal(a.pid) wal
left join lateral (select sum(fsyncs) as fsyncs from pg_stat_get_backend_io(a.pid) where object = 'wal') io on true
where a.usename like 'lanekeeper%'
"""
# The same by table, its indexes included. Whole page images come after a checkpoint, whatever is written, and what
# vacuum does it does when it pleases.
BY_TABLE = """
select coalesce(t.relname, c.relname) as name, sum(b.record_length - b.block_fpi_length)::bigint as bytes
from pg_get_wal_block_info(%(first)s::pg_lsn, %(last)s::pg_lsn) b
join pg_class c on c.relfilenode = b.relfilenode
left join pg_index i on i.indexrelid = c.oid
left join pg_class t on t.oid = i.indrelid
where b.block_id = 0 and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')
  and not (b.resource_manager = 'Heap2' and b.record_type !~ '^(MULTI_INSERT|LOCK)')
group by 1
"""
# A past that the model has seen and the person has read: every second message is an answer.
PAST = """
with past as (
  select number, %(said)s as said, %(answered)s as answered, number %% 2 = 1 as person
  from generate_series(1, %(history)s) as number
), thread as (
  insert into thread_messages (conversation_id, position, user_id, message_id, turn_id, message)
  select %(conversation_id)s, number + 100, %(user_id)s, 'past-' || number, null, jsonb_build_object(
    'id', 'past-' || number, 'type', case when person then 'human' else 'ai' end,
    'content', case when person then said else answered end)
  from past
)
insert into messages (user_id, id, conversation_id, role, parts, position)
select %(user_id)s, 'past-' || number, %(conversation_id)s, case when person then 'user' else 'assistant' end,
       jsonb_build_array(jsonb_build_object('type', 'text', 'text', case when person then said else answered end)),
       number + 100
from past
"""


async def ours(system: System, server: Ours, history: int, turns: int) -> Figures:
    """One person's turns, one after the other, with a past of so many messages."""
    visitor = await server.visitor()
    await system.model(*[{"text": words(ANSWERED)} for _ in range(turns + WARM + 1)])
    await visitor.turn(words(SAID))
    (row,) = await system.sql("select id, user_id from conversations where user_id = %s", [visitor.sub])
    past = {"said": words(SAID), "answered": words(ANSWERED), "history": history}
    await system.sql(PAST, {"conversation_id": row["id"], "user_id": row["user_id"], **past})
    for _ in range(WARM):
        await visitor.turn(words(SAID))
    await asyncio.sleep(REPORTED_S)
    first = await position(system)
    before, rows_before = await written(system), await rows_of(system, visitor.sub)
    timings = [await visitor.turn(words(SAID)) for _ in range(turns)]
    await asyncio.sleep(REPORTED_S)
    after, rows_after = await written(system), await rows_of(system, visitor.sub)
    by_table = await system.sql(BY_TABLE, {"first": first, "last": await position(system)})
    visitor.leave()
    await system.model()
    return {
        "wal_by_table": {row["name"]: round(row["bytes"] / turns) for row in by_table},
        "wal_bytes": round((after[0] - before[0]) / turns),
        "rows": short((rows_after - rows_before) / turns),
        "waits_for_disk": short((after[1] - before[1]) / turns),
        "turn_ms": short(sum(timing.ended for timing in timings) / turns * 1e3),
    }


async def written(system: System) -> tuple[int, int]:
    """Bytes of WAL and waits for the disk of the product's connections, so far."""
    (row,) = await system.sql(WRITTEN)
    return int(row["wal_bytes"]), int(row["waits"])


async def position(system: System) -> str:
    """Where the WAL stands."""
    await system.sql("create extension if not exists pg_walinspect")
    (row,) = await system.sql("select pg_current_wal_flush_lsn()::text as position")
    return str(row["position"])


async def rows_of(system: System, sub: str) -> int:
    """How many rows there are of a person."""
    tables = await system.sql(
        "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid "
        "where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attname = 'user_id'"
    )
    counts = " + ".join(f"(select count(*) from {table['relname']} where user_id = %(sub)s)" for table in tables)
    (row,) = await system.sql(f"select {counts} as rows", {"sub": sub})
    return int(row["rows"])


def savers(history: int, turns: int) -> dict[str, Figures]:
    """What LangGraph's own savers write for the same turn, each on an empty server."""
    taken = {}
    for variant in VARIANTS:
        with empty_database() as url:
            command: list[str | Path] = [
                peers.FLOOR.python,
                peers.SCRIPTS / "saver_cost.py",
                "--url",
                url,
                "--variant",
                variant,
            ]
            taken[variant] = told(command, "--history", str(history), "--turns", str(turns))
    return taken


@contextmanager
def empty_database() -> Iterator[str]:
    """A database of its own on a durable server of its own."""
    with Postgres(durable=True, settings=STEADY) as server:
        server.create_database("bench")
        yield server.url("bench")


def told(command: Sequence[str | Path], *options: str, environment: dict[str, str] | None = None) -> Figures:
    """Run a program that prints one line of JSON."""
    done = subprocess.run(
        [*command, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode:
        raise RuntimeError(f"{command[-1]}: {done.stderr.strip()[-800:]}")
    figures: Figures = json.loads(done.stdout)
    return {name: short(value) if isinstance(value, float) else value for name, value in figures.items()}
