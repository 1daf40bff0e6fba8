"""Two ways to start a sandbox: a fork of a server that has imported the function, or a fresh interpreter."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from tests.devkit import processes

SITE = Path(__file__).with_name("site")


class StarterError(RuntimeError):
    """No process can be started any more."""


class Process:
    """A sandbox's process. ``ended`` is told how it ended: a return code, negative for a signal."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if not self.ended.done():
            processes.signal_process(self.pid, number)


class Starter(Protocol):
    """Starts sandboxes of one function."""

    async def start(self, environment: Mapping[str, str]) -> Process:
        """A new process with these variables on top of the function's own."""
        ...

    async def close(self) -> None:
        """Start no more; what runs is ended."""
        ...


class Forks:
    """Sandboxes forked from a process that has imported the function's modules: a few milliseconds each."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        self._server = processes.spawn(
            [sys.executable, "-m", "tests.devkit.fork_server"],
            environment,
            log,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._started: dict[int, asyncio.Future[Process]] = {}
        self._running: dict[int, Process] = {}
        self._number = 0
        self._reports: asyncio.Task[None] | None = None

    async def start(self, environment: Mapping[str, str]) -> Process:
        """A new fork."""
        if self._reports is None:
            self._reports = asyncio.create_task(self._read_reports())
        self._number += 1
        started = self._started[self._number] = asyncio.get_running_loop().create_future()
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"id": self._number, "environment": dict(environment)}).encode() + b"\n")
        self._server.stdin.flush()
        process: Process = await started
        return process

    async def close(self) -> None:
        """End the server and its forks."""
        for process in self._running.values():
            process.signal(9)
        self._server.kill()
        if self._reports is not None:
            await self._reports
        processes.stop(self._server)

    async def _read_reports(self) -> None:
        assert self._server.stdout is not None
        async for line in processes.lines_of(self._server.stdout):
            report = json.loads(line)
            if "id" in report:
                process = self._running[report["pid"]] = Process(report["pid"])
                self._started.pop(report["id"]).set_result(process)
            else:
                self._running.pop(report["pid"]).ended.set_result(os.waitstatus_to_exitcode(report["status"]))
        for waiting in self._started.values():
            waiting.set_exception(StarterError("the fork server has ended; its log says why"))
        for process in self._running.values():
            process.ended.set_result(-9)


class Fresh:
    """Sandboxes started as Lambda does: a new interpreter each, through the function's own wrapper if it has one."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        self._environment = {**environment, "PYTHONPATH": f"{SITE}{os.pathsep}{environment['PYTHONPATH']}"}
        self._log = log
        self._children: set[asyncio.subprocess.Process] = set()
        self._waits: set[asyncio.Task[None]] = set()

    async def start(self, environment: Mapping[str, str]) -> Process:
        """A new interpreter."""
        variables = {**self._environment, **environment}
        client = "awslambdaric" if processes.ON_LINUX else "tests.devkit.plain_runtime"
        command = [sys.executable, "-m", client, variables["_HANDLER"]]
        if wrapper := variables.get("AWS_LAMBDA_EXEC_WRAPPER"):
            # Lambda hands the wrapper the interpreter and the managed client's script.
            command = [wrapper, sys.executable, "bootstrap.py"]
        with self._log.open("ab") as log:
            child = await asyncio.create_subprocess_exec(
                *command,
                cwd=variables["LAMBDA_TASK_ROOT"],
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=os.name == "posix",
                preexec_fn=processes.die_with_parent if processes.ON_LINUX else None,
            )
        process = Process(child.pid)
        self._children.add(child)
        wait = asyncio.create_task(self._wait(child, process))
        self._waits.add(wait)
        wait.add_done_callback(self._waits.discard)
        return process

    async def close(self) -> None:
        """End them all."""
        for child in self._children:
            if child.returncode is None:
                child.kill()
        await asyncio.gather(*self._waits)

    async def _wait(self, child: asyncio.subprocess.Process, process: Process) -> None:
        process.ended.set_result(await child.wait())
        self._children.discard(child)
