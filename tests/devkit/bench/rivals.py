"""The three ways to serve a chat that are measured side by side, each a running server and a person's road to it."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psycopg

from tests.devkit import processes
from tests.devkit.bench import peers
from tests.devkit.bench.wire import Wire
from tests.devkit.mainline.__main__ import LOCAL_KEY
from tests.devkit.postgres import free_port
from tests.devkit.system import System, SystemProcess, someone

ROOT = Path(__file__).resolve().parents[3]
STARTS_WITHIN_S = 60


@dataclass(slots=True)
class Timing:
    """One turn, in seconds since the request was sent. ``words``: when each piece of text came, and how much of it."""

    acknowledged: float
    ended: float
    words: list[tuple[float, int]]

    @property
    def first_word(self) -> float:
        """When the first text came; the end, when none did."""
        return self.words[0][0] if self.words else self.ended


class Rival(Protocol):
    """A server under measurement."""

    name: str
    processes: dict[str, list[int]]

    async def visitor(self) -> "Visitor":
        """A person with a conversation of their own."""


class Visitor(Protocol):
    """One person's road to a server."""

    async def turn(self, text: str) -> Timing:
        """Send a message and read the reply to its end."""

    def leave(self) -> None:
        """Hang up."""


class Ours:
    """Lanekeeper: accepted into rows, worked on by a worker, streamed back from rows."""

    name = "lanekeeper"

    def __init__(self, system: System, process: SystemProcess) -> None:
        self._system = system
        self.processes = {"all": [process.process.pid]}

    async def visitor(self) -> "OurVisitor":
        """A signed-in person."""
        sub = someone("visitor")
        return OurVisitor(Wire(self._system.url), await self._system.token(sub), sub)


class OurVisitor:
    """Posts with ``Prefer: respond-async`` and then opens the stream, as our page does."""

    def __init__(self, wire: Wire, token: str, sub: str) -> None:
        self._wire = wire
        self._headers = {"Authorization": f"Bearer {token}"}
        self._conversation: dict[str, str] = {}
        self.sub = sub

    async def turn(self, text: str) -> Timing:
        began = time.perf_counter()
        body = {"text": text, **self._conversation}
        accepted = await self._wire.json("POST", "/chat", body, {**self._headers, "Prefer": "respond-async"})
        acknowledged = time.perf_counter() - began
        self._conversation = {"conversationId": accepted["conversationId"]}
        await self._wire.send("GET", accepted["stream"], headers=self._headers)
        words = []
        async for _, data in self._wire.events():
            if data.startswith('{"type":"text-delta"') or '"text-delta"' in data[:40]:
                words.append((time.perf_counter() - began, json.loads(data)["delta"].count("w")))
        return Timing(acknowledged, time.perf_counter() - began, words)

    def leave(self) -> None:
        self._wire.drop()


class Agents:
    """A server that speaks the Agent Protocol: the floor, and Aegra."""

    def __init__(self, name: str, url: str, pid: int) -> None:
        self.name = name
        self._url = url
        self.processes = {"all": [pid]}

    async def visitor(self) -> "AgentVisitor":
        """Somebody with a thread."""
        wire = Wire(self._url)
        thread = await wire.json("POST", "/threads", {})
        return AgentVisitor(wire, thread["thread_id"])


class AgentVisitor:
    """Starts a run and reads its stream from the answer itself."""

    def __init__(self, wire: Wire, thread: str) -> None:
        self._wire = wire
        self._thread = thread

    async def turn(self, text: str) -> Timing:
        began = time.perf_counter()
        body = {
            "assistant_id": "agent",
            "input": {"messages": [{"role": "user", "content": text}]},
            "stream_mode": ["messages-tuple"],
        }
        await self._wire.send("POST", f"/threads/{self._thread}/runs/stream", body, {"Accept": "text/event-stream"})
        acknowledged = time.perf_counter() - began
        words = []
        async for event, data in self._wire.events():
            if event == "error":
                raise RuntimeError(data)
            if event.startswith("messages") and (count := _words_of(json.loads(data))):
                words.append((time.perf_counter() - began, count))
        return Timing(acknowledged, time.perf_counter() - began, words)

    def leave(self) -> None:
        self._wire.drop()


def _words_of(data: Any) -> int:
    message = data[0] if isinstance(data, list) and data else data
    content = message.get("content") if isinstance(message, dict) else None
    return content.count("w") if isinstance(content, str) else 0


@contextmanager
def floor(database_url: str, mainline_url: str) -> Iterator[Agents]:
    """The floor, on a database of its own in the same server."""
    port = free_port()
    environment = _environment(mainline_url) | {"FLOOR_DATABASE_URL": _database(database_url, "floor")}
    with _server("floor", peers.FLOOR, "floor_server:app", environment, port) as server:
        yield server


@contextmanager
def aegra(database_url: str, mainline_url: str, home: Path) -> Iterator[Agents]:
    """Aegra with its defaults, on a database of its own in the same server."""
    port = free_port()
    (home / "aegra.json").write_text(
        json.dumps({"dependencies": ["."], "graphs": {"agent": f"{peers.SCRIPTS / 'agent_graph.py'}:graph"}})
    )
    environment = _environment(mainline_url) | {
        "DATABASE_URL": _database(database_url, "aegra"),
        "AEGRA_CONFIG": str(home / "aegra.json"),
        "AUTH_TYPE": "noop",
        "PORT": str(port),
        "LOG_LEVEL": "WARNING",
    }
    with _server("aegra", peers.AEGRA, "aegra_api.main:app", environment, port) as server:
        yield server


@contextmanager
def _server(name: str, peer: peers.Peer, app: str, environment: dict[str, str], port: int) -> Iterator[Agents]:
    log = peers.HOME / f"{name}.log"
    command = [str(peer.python), "-m", "uvicorn", app, "--port", str(port), "--log-level", "warning"]
    process = processes.spawn(command, environment, log)
    try:
        asyncio.run(_answers(port, process, log))
        yield Agents(name, f"http://127.0.0.1:{port}", process.pid)
    finally:
        processes.stop(process)


async def _answers(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            await Wire(f"http://127.0.0.1:{port}").json("POST", "/threads", {})
        except OSError:
            await asyncio.sleep(0.1)
        else:
            return
    raise RuntimeError(f"it does not answer; the end of its log:\n{log.read_text(errors='replace')[-1500:]}")


def _environment(mainline_url: str) -> dict[str, str]:
    folders = [ROOT / "layers" / "lanekeeper", ROOT / "layers" / "agents", peers.SCRIPTS]
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": os.environ.get("HOME", ""),
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "MAINLINE_BASE_URL": mainline_url,
        "MAINLINE_AI_KEY": LOCAL_KEY,
        "LANGSMITH_TRACING": "false",
    }


def _database(url: str, name: str) -> str:
    """A fresh database of this name beside ours."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop database if exists {name} with (force)".encode())
        connection.execute(f"create database {name}".encode())
    return f"{url.rpartition('/')[0]}/{name}"
