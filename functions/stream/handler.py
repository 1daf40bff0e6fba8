"""Server-sent events of one turn. Driven by ``lanekeeper.stream_runtime``, which streams what Mangum cannot."""

from lanekeeper.wiring.stream import build

handler = build()
