"""Timers: what is to happen later without anyone asking for it, one row a thing and kind (C3, W3, P4).

Whoever wants something done later sets its timer, and setting it again moves it. The tick claims what is due, acts and
takes the timer away, unless it was moved meanwhile. So a thing is done once for each time it was set.
"""

from lanekeeper.timers.rules import BATCH, COMPACTION, IDLE_COMPACTION, IDLE_SAVE, NIGHTLY
from lanekeeper.timers.store import Claims, Timer, compact_soon, quiet_from_now, set_timer

__all__ = [
    "BATCH",
    "COMPACTION",
    "IDLE_COMPACTION",
    "IDLE_SAVE",
    "NIGHTLY",
    "Claims",
    "Timer",
    "compact_soon",
    "quiet_from_now",
    "set_timer",
]
