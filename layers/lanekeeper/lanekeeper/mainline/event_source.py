"""Reading server-sent events from bytes as they come."""

import re

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EventTooLongError(Exception):
    """One event is longer than allowed: what sends it is no event stream."""


class EventReader:
    """Cuts bytes into events. Lines end with CR, LF or both and with nothing else, wherever the bytes were split.

    Args:
        limit: the most bytes one event may have.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest = b""
        self._data: list[str] = []
        self._size = 0
        self._begun = False

    def feed(self, piece: bytes) -> list[str]:
        """The data of each event that these bytes complete.

        Raises:
            EventTooLongError: an event passes the limit.
        """
        buffer = self._rest + piece
        if not self._begun:
            if len(buffer) < 3 and _BYTE_ORDER_MARK.startswith(buffer):
                self._rest = buffer
                return []
            buffer = buffer.removeprefix(_BYTE_ORDER_MARK)
            self._begun = True
        # A CR at the very end may be the first half of CR LF: it waits for what follows.
        held = b"\r" if buffer.endswith(b"\r") else b""
        lines = _LINE_END.split(buffer[: len(buffer) - len(held)])
        self._rest = lines.pop() + held
        events = [event for line in lines if (event := self._take(line)) is not None]
        if self._size + len(self._rest) > self._limit:
            raise EventTooLongError
        return events

    def close(self) -> list[str]:
        """The last event, when the bytes ended without the blank line that should follow it."""
        lines = [self._rest.removesuffix(b"\r"), b""]
        self._rest = b""
        return [event for line in lines if (event := self._take(line)) is not None]

    def _take(self, line: bytes) -> str | None:
        if not line:
            data, self._data, self._size = self._data, [], 0
            return "\n".join(data) if data else None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._size += len(value)
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        return None
