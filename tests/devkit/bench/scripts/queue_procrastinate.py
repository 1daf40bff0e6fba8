"""Procrastinate with one lock a person, as its manual tells to keep jobs in order."""

import asyncio
from typing import Any

import procrastinate
import psycopg
from procrastinate import jobs as procrastinate_jobs


class ProcrastinateQueue:
    """One worker process with so many concurrent jobs."""

    async def open(self, url: str) -> None:
        self._url = url
        connector = procrastinate.PsycopgConnector(conninfo=url, min_size=2, max_size=20)
        self._app = procrastinate.App(connector=connector)
        await self._app.open_async()
        await self._app.schema_manager.apply_schema_async()

        @self._app.task(name="job", queue="lanes")
        async def job(**fields: Any) -> None:
            await self._check.handle(fields)

        self._job = job

    async def fill(self, jobs: list[dict[str, Any]]) -> None:
        for start in range(0, len(jobs), 500):
            await self._app.job_manager.batch_defer_jobs_async(
                jobs=[
                    procrastinate_jobs.Job(
                        id=None,
                        task_name="job",
                        queue="lanes",
                        priority=0,
                        lock=job["person"],
                        queueing_lock=None,
                        task_kwargs=job,
                    )
                    for job in jobs[start : start + 500]
                ]
            )

        # As for every queue here: without statistics of a table just filled it is 7 to 50 times slower.
        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
            await connection.execute("analyze procrastinate_jobs")

    async def add(self, job: dict[str, Any]) -> None:
        await self._job.configure(lock=job["person"]).defer_async(**job)

    async def work(self, workers: int, check: Any, *, until_empty: bool) -> None:
        self._check = check
        await self._app.run_worker_async(
            queues=["lanes"],
            concurrency=workers,
            wait=not until_empty,
            listen_notify=not until_empty,
            install_signal_handlers=False,
        )
        await asyncio.Event().wait()

    async def close(self) -> None:
        await self._app.close_async()


queue = ProcrastinateQueue
