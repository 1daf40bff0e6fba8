"""Traces: what a turn did and for how long, by OpenTelemetry's model and names. Never what anyone said.

Whoever does something worth a span opens one with ``span``; it becomes part of the turn at work, or of nothing when
there is none. Where the spans go is the environment's one ``tracing.Tracing``.
"""

from lanekeeper.traces.rules import Value
from lanekeeper.traces.spans import Opened, begin, span

__all__ = ["Opened", "Value", "begin", "span"]
