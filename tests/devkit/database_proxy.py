"""A TCP proxy between one sandbox and Postgres, so that its traffic can vanish or be refused."""

import asyncio
import contextlib
from typing import Any

# What TCP_USER_TIMEOUT and the keepalives of the product would take to notice that packets go nowhere, in seconds.
NOTICED_AFTER_S = 20


class _Side(asyncio.Protocol):
    """One side of a relayed connection: what comes in here goes out on the other side."""

    def __init__(self, proxy: "DatabaseProxy") -> None:
        self.proxy = proxy
        self.other: _Side | None = None
        self.transport: asyncio.Transport | None = None
        self._early = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if self.proxy.refusing:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.proxy.silent:
            return
        if self.other is None or self.other.transport is None:
            self._early += data
        else:
            self.other.transport.write(data)

    def meet(self, other: "_Side") -> None:
        self.other = other
        if self._early and other.transport is not None and not self.proxy.silent:
            other.transport.write(self._early)
        self._early = b""

    def connection_lost(self, exc: Exception | None) -> None:
        self.proxy.forget(self)
        # A sandbox that vanished says no goodbye either.
        if self.other is not None and self.other.transport is not None and not self.proxy.silent:
            self.other.transport.close()

    def pause_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            with contextlib.suppress(RuntimeError):
                self.other.transport.resume_reading()


class DatabaseProxy:
    """Relays connections to ``port``. ``silent``: nothing goes through any more, and nobody is told."""

    def __init__(self, port: int) -> None:
        self.silent = False
        self.refusing = False
        self._target = port
        self._server: asyncio.Server | None = None
        self._sides: set[_Side] = set()
        self._dials: set[asyncio.Task[None]] = set()
        self.port = 0

    async def open(self) -> None:
        """Listen, and from now on relay."""
        self.refusing = False
        if self._server is None:
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(self._accept, "127.0.0.1", 0)
            self.port = int(self._server.sockets[0].getsockname()[1])

    def vanish(self) -> None:
        """Swallow all traffic from now on. Both ends notice after a while, as their own timeouts would have it."""
        self.silent = True
        asyncio.get_running_loop().call_later(NOTICED_AFTER_S, self.break_connections)

    def refuse(self) -> None:
        """Break what is open and reset whoever comes, until ``open``. The port stays ours: another may not take it."""
        self.refusing = True
        self.break_connections()

    def close(self) -> None:
        """End for good."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.break_connections()

    def break_connections(self) -> None:
        """Reset every connection."""
        for side in list(self._sides):
            if side.transport is not None:
                side.transport.abort()

    def forget(self, side: _Side) -> None:
        """A connection has ended."""
        self._sides.discard(side)

    def _accept(self) -> _Side:
        near = _Side(self)
        self._sides.add(near)
        dial = asyncio.get_running_loop().create_task(self._dial(near))
        self._dials.add(dial)
        dial.add_done_callback(self._dials.discard)
        return near

    async def _dial(self, near: _Side) -> None:
        if self.silent or self.refusing:
            return
        loop = asyncio.get_running_loop()
        try:
            made: tuple[Any, _Side] = await loop.create_connection(lambda: _Side(self), "127.0.0.1", self._target)
        except OSError:
            if near.transport is not None:
                near.transport.abort()
            return
        far = made[1]
        self._sides.add(far)
        far.meet(near)
        near.meet(far)
        if near.transport is None or near.transport.is_closing():
            made[0].close()


class Road:
    """The functions' way to Postgres. Each sandbox has a proxy of its own on it, or none when it is ``direct``."""

    def __init__(self, port: int, *, direct: bool) -> None:
        self.port = port
        self.direct = direct
        self._outages = 0
        self._proxies: set[DatabaseProxy] = set()

    async def open(self) -> DatabaseProxy | None:
        """A way for one sandbox."""
        if self.direct:
            return None
        proxy = DatabaseProxy(self.port)
        await proxy.open()
        self._proxies.add(proxy)
        if self._outages:
            proxy.refuse()
        return proxy

    def leave(self, proxy: DatabaseProxy) -> None:
        """The sandbox has gone."""
        self._proxies.discard(proxy)
        proxy.close()

    async def close_for(self, seconds: float) -> None:
        """Break all connections and refuse new ones for so long, real time."""
        self._outages += 1
        for proxy in self._proxies:
            proxy.refuse()
        await asyncio.sleep(seconds)
        self._outages -= 1
        if not self._outages:
            for proxy in list(self._proxies):
                await proxy.open()
