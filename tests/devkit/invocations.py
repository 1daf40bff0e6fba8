"""Asynchronous invokes: rows that outlive a restart, at least once each, and Lambda's own invoke call over HTTP."""

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

import psycopg
from psycopg.rows import dict_row

from tests.devkit import wire
from tests.devkit.events import EVENT_LIMIT
from tests.devkit.local_lambda import Function
from tests.devkit.runtime_api import Outcome

logger = logging.getLogger("devkit.invocations")

ASYNC_LIMIT = 2**20

_TAKE = """
    update local_lambda.invocations i set taken_at = clock_timestamp()
    where i.id in (
        select id from local_lambda.invocations where ended_at is null and taken_at is null for update skip locked)
    returning i.id, i.function_name, i.payload::text as payload
"""


class Invocations:
    """Takes up asynchronous invokes, from accept's call over HTTP and from ``aws_lambda.invoke`` in SQL alike.

    A failed one is not tried again: what happens then is the product's business.
    """

    def __init__(self, url: str, functions: Mapping[str, Function]) -> None:
        self._url = url
        self._functions = functions
        self._repeats: dict[str, list[list[float]]] = {}
        self._runs: dict[int, asyncio.Task[None]] = {}
        self._repeating: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._connection: psycopg.AsyncConnection[dict[str, Any]] | None = None
        self._listener: psycopg.AsyncConnection[tuple[Any, ...]] | None = None
        self._lock = asyncio.Lock()
        self._taking = asyncio.Lock()

    async def start(self) -> None:
        """Connect, take up what an earlier run has left, and listen for more."""
        self._connection = await psycopg.AsyncConnection.connect(
            self._url,
            autocommit=True,
            row_factory=dict_row,
            application_name="devkit",
            prepare_threshold=0,
            # Lambda's queue is no part of the product's database: what it waits for must not be measured as ours.
            options="-c synchronous_commit=off",
        )
        await self._query("update local_lambda.invocations set taken_at = null where ended_at is null")
        self._listener = await psycopg.AsyncConnection.connect(self._url, autocommit=True, application_name="devkit")
        await self._listener.execute("listen local_lambda")
        self._listening = asyncio.create_task(self._listen(self._listener))
        await self.take()

    async def take(self) -> None:
        """Take up the rows that wait."""
        async with self._taking:
            for row in await self._query(_TAKE):
                self._run(row["id"], row["function_name"], row["payload"].encode())

    async def enqueue(self, function: str, payload: bytes) -> int:
        """A new asynchronous invoke; the id of its row. It outlives this process when this returns."""
        rows = await self._query(
            "insert into local_lambda.invocations (function_name, payload, taken_at) "
            "values (%s, %s::json, clock_timestamp()) returning id",
            [function, payload.decode()],
        )
        row_id = int(rows[0]["id"])
        self._run(row_id, function, payload)
        return row_id

    def repeat_next(self, function: str, delays_s: Iterable[float]) -> None:
        """Deliver the function's next asynchronous event again after each of these delays, as Lambda may."""
        self._repeats.setdefault(function, []).append(list(delays_s))

    async def finish(self, transaction_id: str, function: str) -> None:
        """Return once the function's invokes that this transaction has made have ended."""
        await self.take()
        rows = await self._query(
            "select id from local_lambda.invocations where transaction_id = %s::text::xid8 and function_name = %s",
            [transaction_id, function],
        )
        await asyncio.gather(*(self._runs[row["id"]] for row in rows if row["id"] in self._runs))

    async def quiet(self) -> None:
        """Return once no asynchronous invoke runs or waits."""
        await self.take()
        while self._runs or self._repeating:
            await asyncio.gather(*self._runs.values(), *self._repeating)
            await self.take()

    async def handle(self, exchange: wire.Exchange) -> None:
        """Lambda's invoke call: ``POST /2015-03-31/functions/{name}/invocations``."""
        parts = exchange.path.split("/")
        if exchange.method != "POST" or len(parts) != 5 or parts[1:3] != ["2015-03-31", "functions"]:
            await _refuse(exchange, 404, "UnknownOperationException", "no such call")
            return
        name = unquote(parts[3]).removeprefix("arn:").split(":function:")[-1].split(":")[0]
        function = self._functions.get(name)
        if function is None:
            await _refuse(exchange, 404, "ResourceNotFoundException", f"Function not found: {name}")
            return
        if not exchange.header("authorization").startswith("AWS4-HMAC-SHA256 "):
            await _refuse(exchange, 403, "MissingAuthenticationTokenException", "Missing Authentication Token")
            return
        kind = exchange.header("x-amz-invocation-type", "RequestResponse")
        body = await exchange.body() or b"{}"
        if len(body) > (ASYNC_LIMIT if kind == "Event" else EVENT_LIMIT):
            await _refuse(exchange, 413, "RequestTooLargeException", "the payload is too large")
            return
        try:
            json.loads(body)
        except ValueError:
            await _refuse(exchange, 400, "InvalidRequestContentException", "the payload is no JSON")
            return
        match kind:
            case "DryRun":
                await exchange.respond(204)
            case "Event":
                await self.enqueue(name, body)
                await exchange.respond(202)
            case "RequestResponse":
                outcome = await function.invoke(body)
                headers = [("X-Amz-Executed-Version", "$LATEST"), ("Content-Type", "application/json")]
                if outcome.error is not None:
                    headers.append(("X-Amz-Function-Error", "Unhandled"))
                payload = outcome.payload if outcome.error is None else json.dumps(outcome.error).encode()
                await exchange.respond(200, payload, headers)
            case _:
                await _refuse(exchange, 400, "InvalidParameterValueException", "unknown invocation type")

    async def close(self) -> None:
        """Let go of the database. What runs stays unfinished and is taken up by the next start."""
        tasks = [*self._repeating, *self._runs.values(), *filter(None, [self._listening])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for connection in (self._connection, self._listener):
            if connection is not None:
                await connection.close()

    async def _listen(self, connection: psycopg.AsyncConnection[tuple[Any, ...]]) -> None:
        async for _ in connection.notifies():
            await self.take()

    def _run(self, row_id: int, function: str, payload: bytes) -> None:
        task = self._runs[row_id] = asyncio.create_task(self._deliver(row_id, function, payload))
        task.add_done_callback(lambda _: self._runs.pop(row_id, None))

    async def _deliver(self, row_id: int, name: str, payload: bytes) -> None:
        function = self._functions.get(name)
        outcome = Outcome(error={"errorType": "ResourceNotFoundException"})
        if function is not None:
            waiting = self._repeats.get(name)
            for delay_s in waiting.pop(0) if waiting else ():
                task = asyncio.create_task(self._repeat(function, payload, delay_s))
                self._repeating.add(task)
                task.add_done_callback(self._repeating.discard)
            outcome = await function.invoke(payload)
        failure = None if outcome.error is None else str(outcome.error.get("errorType"))
        if failure is not None:
            logger.warning("%s: %s", name, failure)
        await self._query(
            "update local_lambda.invocations set ended_at = clock_timestamp(), failure = %s where id = %s",
            [failure, row_id],
        )

    async def _repeat(self, function: Function, payload: bytes, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        await function.invoke(payload)

    async def _query(self, statement: str, parameters: list[Any] | None = None) -> list[dict[str, Any]]:
        assert self._connection is not None
        async with self._lock:
            cursor = await self._connection.execute(statement.encode(), parameters)
            return await cursor.fetchall() if cursor.description else []


async def _refuse(exchange: wire.Exchange, status: int, kind: str, message: str) -> None:
    await exchange.respond_json(status, {"Type": "User", "Message": message}, [("X-Amzn-ErrorType", kind)])
