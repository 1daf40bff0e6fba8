"""The local Lambda: functions, each with a pool of sandboxes that grows on demand."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from tests.devkit.database_proxy import Road
from tests.devkit.orders import Orders
from tests.devkit.runtime_api import Invocation, Outcome, Sink
from tests.devkit.sandbox import How, Sandbox
from tests.devkit.starters import Starter, StarterError

logger = logging.getLogger("devkit.lambda")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A function as the template describes it. ``sandboxes``: how many may run at once; ``role``: its database role."""

    name: str
    timeout_s: float
    memory_mb: int
    sandboxes: int
    role: str
    imports: tuple[str, ...] = ()
    streams: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What every sandbox is put into."""

    road: Road
    database_url: Callable[[int, str], str]
    freezes: bool = True
    orders: Orders = field(default_factory=Orders)


class Function:
    """One function. Events wait in order until a sandbox is free; there are never more than ``spec.sandboxes``."""

    def __init__(self, spec: Spec, starter: Starter, around: Surroundings) -> None:
        self.spec = spec
        self.starts = 0
        self._starter = starter
        self._around = around
        self._idle: list[Sandbox] = []
        self._sandboxes: set[Sandbox] = set()
        self._starting: set[Sandbox] = set()
        self._waiting: deque[Invocation] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def invoke(self, payload: bytes, sink: Sink | None = None) -> Outcome:
        """Run one event to its end. ``sink`` gets the pieces of a streamed answer as they come."""
        invocation = Invocation(payload, sink)
        self._waiting.append(invocation)
        self._dispatch()
        return await invocation.outcome

    def warm(self, count: int = 1) -> None:
        """Have sandboxes started before the first event asks for one."""
        for _ in range(count - len(self._sandboxes)):
            self._start_one()

    @property
    def sandboxes(self) -> frozenset[Sandbox]:
        """All that live, the lost ones too."""
        return frozenset(self._sandboxes)

    async def close(self) -> None:
        """End all sandboxes."""
        self._closed = True
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(sandbox.close() for sandbox in self._sandboxes))
        await self._starter.close()

    def _dispatch(self) -> None:
        while self._waiting and not self._closed:
            if self._waiting[0].outcome.done():  # whoever asked has given up
                self._waiting.popleft()
            elif self._idle:
                self._run(self._idle.pop(), self._waiting.popleft())
            else:
                counted = sum(not sandbox.lost for sandbox in self._sandboxes)
                soon = len(self._starting) + sum(sandbox.finishing for sandbox in self._sandboxes)
                if soon >= len(self._waiting) or counted >= self.spec.sandboxes:
                    return
                self._start_one()

    def _run(self, sandbox: Sandbox, invocation: Invocation) -> None:
        sandbox.run(invocation, self._around.orders.take(self.spec.name, "start"))

    def _start_one(self) -> None:
        sandbox = Sandbox(
            self.spec.name,
            self.spec.timeout_s,
            road=self._around.road,
            freezes=self._around.freezes,
            idle=self._take_back,
            ended=self._forget,
            reached=self._reached,
        )
        self.starts += 1
        self._sandboxes.add(sandbox)
        self._starting.add(sandbox)
        self._spawn(self._start(sandbox))

    async def _start(self, sandbox: Sandbox) -> None:
        try:
            await sandbox.start(self._starter, lambda port: self._around.database_url(port, self.spec.role))
        except (OSError, StarterError) as error:
            logger.error("%s: no sandbox could be started: %s", self.spec.name, error)
            self._forget(sandbox)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _take_back(self, sandbox: Sandbox) -> None:
        self._starting.discard(sandbox)
        self._idle.append(sandbox)
        self._dispatch()

    def _forget(self, sandbox: Sandbox) -> None:
        if self._closed:
            return
        self._sandboxes.discard(sandbox)
        self._spawn(sandbox.close())
        if sandbox in self._idle:
            self._idle.remove(sandbox)
        if sandbox in self._starting:
            self._starting.discard(sandbox)
            error = sandbox.api.start_error or {
                "errorType": "Runtime.ExitError",
                "errorMessage": "the sandbox ended while starting",
            }
            if self._waiting:
                logger.error("%s: %s: %s", self.spec.name, error.get("errorType"), error.get("errorMessage"))
                self._waiting.popleft().end(Outcome(error=error))
        self._dispatch()

    def _reached(self, point: str) -> How | None:
        how = self._around.orders.take(self.spec.name, point)
        if how is not None:
            logger.info("%s at %s: %s", self.spec.name, point, how)
        return how
