"""The running system as a test sees it: people who write, streams that are read, machines that are lost.

    async with System.launched(workers=2) as system:
        accepted = await system.say("ana", "hello")
        reply = await system.follow("ana", accepted)
        assert reply.ended

Tests that need nothing special share one system a test process: the fixture ``system``.
"""

import contextlib
import itertools
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import psycopg
from psycopg.rows import dict_row

from tests.devkit import functions, processes

Json = dict[str, Any]


class SystemProcess:
    """The dev kit in a process of its own, as ``python3 run.py`` starts it.

    Args:
        options: of the command line, by name: ``workers=2`` is ``--workers 2``, ``fresh=True`` is ``--fresh``.
        environment: more variables, such as ``LIMIT_LEASE_S``.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, **options: str | int | bool | Path) -> None:
        self._errors = tempfile.NamedTemporaryFile(prefix="lanekeeper-system-", suffix=".log")  # noqa: SIM115 - until stop
        command = [sys.executable, "-m", "tests.devkit"]
        for name, value in {"port": 0, **options}.items():
            if value is not False:
                flag = f"--{name.replace('_', '-')}"
                command += [flag] if value is True else [flag, str(value)]
        variables = {**os.environ, "PYTHONPATH": functions.PATH, **(environment or {})}
        self.process = processes.spawn(
            command, variables, Path(self._errors.name), stdout=subprocess.PIPE, on_death=signal.SIGTERM
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self._errors.seek(0)
            raise RuntimeError(f"the system did not start:\n{self._errors.read().decode()}")
        self.ready: dict[str, str] = json.loads(line)

    def stop(self) -> None:
        """Stop it and all its children."""
        processes.stop(self.process, patience_s=20)
        self._errors.close()


@dataclass(slots=True)
class Reply:
    """What came through one stream. ``ended``: it was told its end; else it was cut, or had not come so far."""

    status: int
    chunks: list[Json] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    ended: bool = False

    @property
    def message_id(self) -> str:
        """The id of the assistant message."""
        return str(next(chunk["messageId"] for chunk in self.chunks if chunk["type"] == "start"))

    @property
    def text(self) -> str:
        """All text, in order, a space between its parts."""
        parts: dict[str, str] = {}
        for chunk in self.chunks:
            if chunk["type"] == "text-delta":
                parts[chunk["id"]] = parts.get(chunk["id"], "") + chunk["delta"]
        return " ".join(parts.values())

    @property
    def types(self) -> list[str]:
        """The chunks' types, in order."""
        return [chunk["type"] for chunk in self.chunks]


class System:
    """A running system. Everything about a person is named by their ``sub``."""

    def __init__(self, url: str, database_url: str, mainline_url: str) -> None:
        self.url = url
        self.database_url = database_url
        self.mainline_url = mainline_url
        # Streams may be silent for the time between two keep-alives.
        self.http = httpx.AsyncClient(base_url=url, trust_env=False, timeout=httpx.Timeout(35))
        self._tokens: dict[str, str] = {}
        self._connection: psycopg.AsyncConnection[Json] | None = None

    @classmethod
    @contextlib.asynccontextmanager
    async def launched(
        cls, environment: Mapping[str, str] | None = None, **options: str | int | bool | Path
    ) -> AsyncIterator["System"]:
        """A system of its own, stopped at the end. Takes what ``SystemProcess`` takes."""
        process = SystemProcess(environment, **options)
        try:
            async with cls(**process.ready) as system:
                yield system
        finally:
            process.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.aclose()
        if self._connection is not None:
            await self._connection.close()

    # People

    async def token(self, sub: str, **claims: Any) -> str:
        """A token for a person; the same one each time unless claims are named."""
        if claims or sub not in self._tokens:
            token = str((await self.dev("token", {"sub": sub, **claims}))["token"])
            if claims:
                return token
            self._tokens[sub] = token
        return self._tokens[sub]

    async def request(self, sub: str, method: str, path: str, **options: Any) -> httpx.Response:
        """Any request in a person's name."""
        headers = {"Authorization": f"Bearer {await self.token(sub)}", **options.pop("headers", {})}
        return await self.http.request(method, self.at(path), headers=headers, **options)

    async def post(self, sub: str, text: str, *, key: str | None = None, **body: Any) -> httpx.Response:
        """``POST /chat`` in the native form, answered at once."""
        headers = {"Prefer": "respond-async"} | ({"Idempotency-Key": key} if key else {})
        return await self.request(sub, "POST", "/chat", json={"text": text, **body}, headers=headers)

    async def say(self, sub: str, text: str, **body: Any) -> Json:
        """Post a message that must be accepted; the acceptance."""
        answer = await self.post(sub, text, **body)
        assert answer.status_code == 202, answer.text
        accepted: Json = answer.json()
        return accepted

    async def follow(self, sub: str, accepted: Json | str, *, after: int = 0) -> Reply:
        """Read a stream to its end or its cut. ``accepted`` is an acceptance or a stream's path."""
        path = accepted if isinstance(accepted, str) else accepted["stream"]
        headers = {"Authorization": f"Bearer {await self.token(sub)}"} | (
            {"Last-Event-ID": str(after)} if after else {}
        )
        reply = Reply(0)
        # The path is the server's own, from the root of its address: a stage is part of it already.
        async with self.http.stream("GET", httpx.URL(self.url).join(path), headers=headers) as response:
            reply.status = response.status_code
            with contextlib.suppress(httpx.TransportError):
                async for line in response.aiter_lines():
                    _take_line(reply, line)
        return reply

    async def follow_to_the_end(self, sub: str, accepted: Json | str, *, cuts: int = 20) -> Reply:
        """Read a stream as our own page does: after a cut it asks again for what it has not seen."""
        whole = Reply(0)
        for _ in range(cuts):
            with contextlib.suppress(httpx.TransportError):
                piece = await self.follow(sub, accepted, after=whole.seqs[-1] if whole.seqs else 0)
                whole.status = piece.status
                whole.chunks += piece.chunks
                whole.seqs += piece.seqs
                if piece.ended:
                    whole.ended = True
                    return whole
        raise AssertionError(f"the stream did not end: {whole}")

    async def transcript(self, sub: str, conversation_id: str) -> list[Json]:
        """The newest page of a conversation's messages."""
        answer = await self.request(sub, "GET", f"/conversations/{conversation_id}/messages")
        assert answer.status_code == 200, answer.text
        items: list[Json] = answer.json()["items"]
        return items

    # The machine

    async def dev(self, name: str, body: Json | None = None, *, method: str = "POST") -> Any:
        """A ``/dev`` route that must succeed; its answer."""
        origin = httpx.URL(self.url).join("/dev/")
        answer = await self.http.request(method, origin.join(name), json={} if body is None else body, timeout=330)
        assert answer.status_code == 200, f"/dev/{name}: {answer.status_code} {answer.text}"
        return answer.json()

    async def model(self, *replies: Json, sub: str | None = None, feature: str = "chat") -> None:
        """Queue scripted replies of the model."""
        person = {"sub": sub} if sub else {}
        await self.dev("model", {"replies": list(replies), "feature": feature, **person})

    async def requests(self, sub: str, feature: str = "chat") -> list[Json]:
        """What the fake Mainline received for a person, oldest first."""
        found: list[Json] = await self.dev(f"requests?sub={sub}&feature={feature}", method="GET")
        return found

    async def advance(self, seconds: float) -> None:
        """Move the clock. It is everybody's: a test that needs it exact takes a system of its own."""
        await self.dev("clock", {"advance_s": seconds})

    async def tick(self) -> None:
        """What pg_cron starts each minute; returns when the maintenance function has finished."""
        await self.dev("tick")

    async def nightly(self) -> None:
        """What pg_cron starts each night; returns when the maintenance function has finished."""
        await self.dev("nightly")

    async def kill(self, function: str, at: str, how: str = "kill") -> None:
        """The function's next process to reach the point is lost there."""
        await self.dev("kill", {"function": function, "at": at, "how": how})

    async def orders(self) -> list[Json]:
        """Orders to kill that no process has come across yet."""
        waiting: list[Json] = await self.dev("kill", method="GET")
        return waiting

    async def recall(self) -> None:
        """Take back all orders to kill, and end the processes that were lost but not killed."""
        await self.dev("kill", method="DELETE")

    async def thaw(self, function: str) -> None:
        """Let frozen processes run on, as if they had only been slow."""
        await self.dev("thaw", {"function": function})

    async def repeat(self, function: str, delays_s: Iterable[float]) -> None:
        """The function's next asynchronous event comes again after each of these delays."""
        await self.dev("repeat", {"function": function, "delays_s": list(delays_s)})

    async def outage(self, seconds: float, what: str = "database") -> None:
        """Refuse connections to the database or to Mainline for so long."""
        await self.dev("outage", {"seconds": seconds, "what": what})

    async def quiet(self) -> None:
        """Return once no asynchronous invoke runs or waits. A frozen one runs until ``recall`` or its time's end."""
        await self.dev("quiet")

    async def sandboxes(self) -> dict[str, Json]:
        """How many processes each function has: started, live, busy, lost, and their ids."""
        found: dict[str, Json] = await self.dev("sandboxes", method="GET")
        return found

    async def sql(self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Json]:
        """Rows, as a superuser, past row-level security."""
        if self._connection is None or self._connection.closed:
            self._connection = await psycopg.AsyncConnection.connect(
                self.database_url, autocommit=True, row_factory=dict_row
            )
        cursor = await self._connection.execute(statement.encode(), parameters or None)
        return await cursor.fetchall() if cursor.description else []

    def at(self, path: str) -> str:
        """The whole address of a path, under the stage if there is one."""
        return f"{self.url}{path}"


_numbers = itertools.count(1)


def someone(name: str = "person") -> str:
    """A ``sub`` that nobody has had before."""
    return f"{name}-{next(_numbers)}-{secrets.token_hex(4)}"


def _take_line(reply: Reply, line: str) -> None:
    if line.startswith("id: "):
        reply.seqs.append(int(line[4:]))
    elif line == "data: [DONE]":
        reply.ended = True
    elif line.startswith("data: "):
        reply.chunks.append(json.loads(line[6:]))
