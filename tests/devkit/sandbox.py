"""One sandbox: a process that serves one invocation at a time, frozen in between, and the ways it can be lost."""

import asyncio
import signal
from collections.abc import Callable
from typing import Literal

from tests.devkit.database_proxy import DatabaseProxy, Road
from tests.devkit.runtime_api import Invocation, RuntimeApi
from tests.devkit.starters import Process, Starter

How = Literal["kill", "freeze", "blackhole"]

STARTS_WITHIN_S = 60


class Sandbox:
    """A process of one function, with its Runtime API and its own way to the database.

    Args:
        function: the function's name.
        timeout_s: how long one invocation may take before the sandbox is thrown away.
        road: its way to the database.
        freezes: stop the process while it has no event, as Lambda does.
        idle: called when it waits for an event.
        ended: called once its process has gone.
        reached: called with the name of a kill point it has reached; says how it is to be lost there, if at all.
    """

    def __init__(
        self,
        function: str,
        timeout_s: float,
        *,
        road: Road,
        freezes: bool,
        idle: Callable[["Sandbox"], None],
        ended: Callable[["Sandbox"], None],
        reached: Callable[[str], "How | None"],
    ) -> None:
        self.function = function
        self.timeout_s = timeout_s
        self.lost = False
        self.process: Process | None = None
        self.api = RuntimeApi(function, timeout_s, self._ready, self._reach)
        self._road = road
        self._proxy: DatabaseProxy | None = None
        self._freezes = freezes
        self._idle = idle
        self._ended = ended
        self._reached = reached
        self._timer: asyncio.TimerHandle | None = None
        self._stuck: asyncio.Future[None] | None = None

    async def start(self, starter: Starter, database_url: Callable[[int], str]) -> None:
        """Start the process. It says that it is ready by asking for its first event."""
        address = await self.api.open()
        self._proxy = await self._road.open()
        port = self._road.port if self._proxy is None else self._proxy.port
        environment = {"AWS_LAMBDA_RUNTIME_API": address, "DATABASE_URL": database_url(port)}
        self._timer = asyncio.get_running_loop().call_later(STARTS_WITHIN_S, self.kill)
        self.process = await starter.start(environment)
        self.process.ended.add_done_callback(lambda _: self._bury())

    def run(self, invocation: Invocation, lost: How | None = None) -> None:
        """Hand the waiting sandbox an event. Past its time the sandbox is killed, as on Lambda.

        ``lost``: lose it at once in this way; killed or frozen, it has the event but does not come to read it.
        """
        self._timer = asyncio.get_running_loop().call_later(self.timeout_s, self._time_out, invocation)
        if lost is not None:
            self.lose(lost)
        if lost in ("kill", "freeze"):
            self.api.current = invocation
        else:
            self._thaw()
            self.api.deliver(invocation)

    def lose(self, how: How) -> None:
        """Lose it in one of the ways that machines are lost. It is given no other event."""
        self.lost = True
        if how == "kill":
            self.kill()
        elif how == "freeze":
            self._signal(signal.SIGSTOP)
        elif self._proxy is not None:
            self._proxy.vanish()

    def kill(self) -> None:
        """kill -9."""
        self._signal(signal.SIGKILL)

    async def close(self) -> None:
        """End it, and close what was open for it."""
        self._stop_timer()
        self.kill()
        if self.process is not None:
            await self.process.ended
        await self.api.close()
        if self._proxy is not None:
            self._road.leave(self._proxy)

    def thaw(self) -> None:
        """Let one that was lost by freezing run on, as if it had only been slow."""
        if self.lost:
            self._thaw()
            if self._stuck is not None and not self._stuck.done():
                self._stuck.set_result(None)

    @property
    def busy(self) -> bool:
        """Whether it has an event whose end is not known."""
        return self.api.current is not None and not self.api.current.outcome.done()

    @property
    def finishing(self) -> bool:
        """Whether its event has ended and it is about to ask for the next one."""
        return self.api.current is not None and self.api.current.outcome.done() and not self.lost

    def _ready(self) -> None:
        self._stop_timer()
        if self.lost:
            self.kill()
            return
        if self._freezes:
            self._signal(signal.SIGSTOP)
        self._idle(self)

    async def _reach(self, point: str) -> None:
        how = self._reached(point)
        if how is None:
            return
        self.lose(how)
        if how != "blackhole":
            # The process waits for an answer that comes only if it is thawed.
            self._stuck = asyncio.get_running_loop().create_future()
            await self._stuck

    def _time_out(self, invocation: Invocation) -> None:
        invocation.fail("Sandbox.Timedout", f"Task timed out after {self.timeout_s:.2f} seconds")
        self.kill()

    def _bury(self) -> None:
        self._stop_timer()
        if self.api.current is not None:
            assert self.process is not None
            code = self.process.ended.result()
            end = f"signal: {signal.strsignal(-code)}" if code < 0 else f"exit status {code}"
            self.api.current.fail("Runtime.ExitError", f"Runtime exited with error: {end}")
        self._ended(self)

    def _thaw(self) -> None:
        if self._freezes or self.lost:
            self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self.process is not None:
            self.process.signal(number)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
