"""pgmq with a message group a person, read head by head: its own way to keep messages in order."""

import asyncio
import contextlib
import json
from importlib.resources import files
from typing import Any

import psycopg

READ = "select msg_id, message from pgmq.read_grouped_head('lanes', 60, 1)"


class PgmqQueue:
    """One connection a worker; idle workers wait for the queue's own notifications."""

    async def open(self, url: str) -> None:
        self._url = url
        self._adding = await psycopg.AsyncConnection.connect(url, autocommit=True)
        await self._adding.execute(files("pgmq").joinpath("sql/pgmq.sql").read_bytes())
        await self._adding.execute("select pgmq.create('lanes')")
        await self._adding.execute("select pgmq.create_fifo_index('lanes')")
        await self._adding.execute("select pgmq.enable_notify_insert('lanes', 0)")
        self._added = asyncio.Condition()

    async def fill(self, jobs: list[dict[str, Any]]) -> None:
        for start in range(0, len(jobs), 500):
            batch = jobs[start : start + 500]
            await self._adding.execute(
                "select pgmq.send_batch('lanes', %s::jsonb[], %s::jsonb[])",
                ([json.dumps(job) for job in batch], [_group(job) for job in batch]),
            )
        await self._adding.execute("analyze pgmq.q_lanes")

    async def add(self, job: dict[str, Any]) -> None:
        await self._adding.execute("select pgmq.send('lanes', %s::jsonb, %s::jsonb)", (json.dumps(job), _group(job)))

    async def work(self, workers: int, check: Any, *, until_empty: bool) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._worker(check, until_empty=until_empty))
            if not until_empty:
                group.create_task(self._listen())

    async def _worker(self, check: Any, *, until_empty: bool) -> None:
        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True, prepare_threshold=0) as connection:
            while True:
                row = await (await connection.execute(READ)).fetchone()
                if row:
                    await check.handle(row[1])
                    await connection.execute("select pgmq.delete('lanes', %s::bigint)", (row[0],))
                elif until_empty:
                    await asyncio.sleep(0.001)
                else:
                    async with self._added:
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(self._added.wait(), 1)

    async def _listen(self) -> None:
        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
            await connection.execute('listen "pgmq.q_lanes.INSERT"')
            async for _ in connection.notifies():
                async with self._added:
                    self._added.notify()

    async def close(self) -> None:
        await self._adding.close()


def _group(job: dict[str, Any]) -> str:
    return json.dumps({"x-pgmq-group": job["person"]})


queue = PgmqQueue
