"""What was received: kept word for word, up to a number and a weight."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from tests.devkit.mainline.clock import Clock

MOST_REQUESTS = 5_000
MOST_BYTES = 128 * 1024 * 1024


@dataclass(slots=True)
class Received:
    """One request for a model. ``body`` is the exact JSON text; tokens are as counted here."""

    at: str
    sub: str | None
    feature: str
    model: str
    body: bytes
    input_tokens: int = 0
    cached_tokens: int = 0


class RequestLog:
    """The latest requests, oldest first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: deque[Received] = deque()
        self._bytes = 0

    def add(self, sub: str | None, feature: str, model: str, body: bytes) -> Received:
        """Keep a request; its token counts are filled in by who counts them."""
        at = self._clock.date().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        received = Received(at, sub, feature, model, body)
        self._kept.append(received)
        self._bytes += len(body)
        while len(self._kept) > MOST_REQUESTS or self._bytes > MOST_BYTES:
            self._bytes -= len(self._kept.popleft().body)
        return received

    def render(self, sub: str | None = None, feature: str | None = None) -> bytes:
        """A JSON list of what was kept. The bodies are put in as they came, not parsed and written anew."""
        return b"[%b]" % b",".join(self._rendered(sub, feature))

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._bytes = 0

    def _rendered(self, sub: str | None, feature: str | None) -> Iterator[bytes]:
        for received in self._kept:
            if sub not in (None, received.sub) or feature not in (None, received.feature):
                continue
            about = {
                "at": received.at,
                "sub": received.sub,
                "feature": received.feature,
                "model": received.model,
                "input_tokens": received.input_tokens,
                "cached_tokens": received.cached_tokens,
            }
            yield json.dumps(about).encode()[:-1] + b', "body": ' + received.body + b"}"
