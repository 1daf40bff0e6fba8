"""Lanekeeper's own lane: its claim, its lock, its release, its accepting of a message, with nothing done in between."""

import asyncio
import contextlib
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from lanekeeper import inbox
from lanekeeper.lane import Hold, LaneLock
from lanekeeper.lane.hold import RELEASE
from lanekeeper.lane.store import SQL as LANE_SQL
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database

FILL = """
with job as (
  select person, number, 'conv_' || person as talk, format('%%s_%%s', person, number) as id
  from jsonb_to_recordset(%s) as job (person text, number int)
), person as (insert into users (id) select distinct person from job),
talk as (insert into conversations (id, user_id, agent_id) select distinct talk, person, 'assistant' from job),
lane as (insert into lanes (user_id, ready_at) select distinct person, lanekeeper.now() from job),
turn as (
  insert into turns (id, user_id, conversation_id, agent_id, reply_id)
  select 'turn_' || id, person, talk, 'assistant', 'msg_' || id from job
)
insert into inbox (user_id, conversation_id, turn_id, accepted_turn_id, message_id, idempotency_key, body_hash,
                   agent_id, payload)
select person, talk, 'turn_' || id, 'turn_' || id, 'said_' || id, id, '', 'assistant',
       jsonb_build_object('text', 'hello', 'person', person, 'number', number)
from job order by number
"""
OPEN = """
select id, message_id, payload from inbox
where user_id = %(user_id)s and state in ('new', 'running') order by id limit %(limit)s
"""
DONE = "update inbox set state = 'done' where id = any(%(ids)s)"


class LaneQueue:
    """Workers with two connections each, one for the work and one for the lane lock, as a worker function has."""

    async def open(self, url: str) -> None:
        self._url = url
        self._limits = Limits()
        self._added = asyncio.Condition()
        self._accepting = self._database("accept")
        self._inbox = inbox.Inbox(self._accepting, "assistant", self._limits)
        self._opened: list[Database] = [self._accepting]
        self._added_jobs: dict[str, dict[str, Any]] = {}

    def _database(self, role: str) -> Database:
        fields = {**conninfo_to_dict(self._url), "user": f"lanekeeper_{role}"}
        return Database(lambda: {"conninfo": make_conninfo("", **fields)}, f"bench-{role}")

    async def fill(self, jobs: list[dict[str, Any]]) -> None:
        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
            await connection.execute(FILL, [psycopg.types.json.Jsonb(jobs)])
            await connection.execute("analyze")

    async def add(self, job: dict[str, Any]) -> None:
        key = f"{job['person']}-{job['number']}-added"
        self._added_jobs[key] = job
        incoming = inbox.Incoming(key=key, text=key, message_id=key, conversation=job["person"], may_begin=True)
        await self._inbox.accept(job["person"], incoming)
        async with self._added:
            self._added.notify()

    async def work(self, workers: int, check: Any, *, until_empty: bool) -> None:
        limit = self._limits.messages_per_turn if until_empty else 1
        async with asyncio.TaskGroup() as group:
            for number in range(workers):
                group.create_task(self._worker(f"bench-{number}", check, limit))

    async def _worker(self, holder: str, check: Any, limit: int) -> None:
        work, lock = self._database("worker"), self._database("worker")
        self._opened += [work, lock]
        lane_lock = LaneLock(lock)
        while True:
            hold, rows = await self._claim(work, lane_lock, holder, limit)
            if hold is None:
                async with self._added:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._added.wait(), 1)
                continue
            for row in rows:
                await check.handle(self._added_jobs.get(row["message_id"]) or row["payload"])
            await hold.at_once(work, DONE, *RELEASE, parameters={"ids": [row["id"] for row in rows]})
            await lane_lock.drop()

    async def _claim(
        self, work: Database, lane_lock: LaneLock, holder: str, limit: int
    ) -> tuple[Hold | None, list[dict[str, Any]]]:
        async with work.transaction() as transaction:
            row = await transaction.row(LANE_SQL["claim_lane"], {"holder": holder, "lease_s": self._limits.lease_s})
            if row is None or row["user_id"] is None:
                return None, []
            hold = Hold(row["user_id"], row["epoch"])
            transaction.act_for(hold.user_id)
            if not await lane_lock.take(hold):
                await hold.postpone(transaction, 1)
                return None, []
            return hold, await transaction.rows(OPEN, {**hold.key, "limit": limit})

    async def close(self) -> None:
        for database in self._opened:
            await database.close()


queue = LaneQueue
