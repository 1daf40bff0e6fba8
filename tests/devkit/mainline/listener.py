"""The port: opened, and in an outage closed in such a way that nobody else can take it."""

import asyncio
import socket

from tests.devkit.mainline.wire import Application, Connection


class Listener:
    """Serves an application on a loopback port.

    Args:
        application: answers each request.
        port: 0 picks a free one; ``self.port`` tells which.
    """

    def __init__(self, application: Application, port: int) -> None:
        self._application = application
        self._socket = _bind(port)
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        self.port: int = self._socket.getsockname()[1]

    async def open(self) -> None:
        """Accept connections. Does nothing when it already does."""
        if self._server is None:
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(
                lambda: Connection(self._application, self._connections), sock=self._socket, backlog=1024
            )

    def refuse(self, *, keep: str) -> None:
        """Refuse new connections and drop the old ones, but for those whose last path begins with ``keep``."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        # Bound but not listening: the kernel refuses, and the number stays ours.
        self._socket = _bind(self.port)
        self._drop(keep)

    def close(self) -> None:
        """Stop for good."""
        if self._server is not None:
            self._server.close()
        self._socket.close()
        self._drop(None)

    def _drop(self, keep: str | None) -> None:
        for connection in tuple(self._connections):
            if keep is None or not connection.path.startswith(keep):
                connection.hang_up()


def _bind(port: int) -> socket.socket:
    # Named as TCP: asyncio leaves Nagle's algorithm on for anything else, which costs 40 ms an answer.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    bound.setblocking(False)
    return bound
