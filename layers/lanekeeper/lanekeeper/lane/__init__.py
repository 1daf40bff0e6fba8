"""The lane: one row a person, held by one worker at a time.

A worker that holds a lane has three proofs of it: its name on the lane's row, an epoch that counts the holders,
and a transaction-level advisory lock on a connection of its own. Whatever it writes names the epoch. When it dies,
its lock falls with its connection; when it merely stops, the tick takes the lane from it, ends that connection and
raises the epoch, so that nothing it does afterwards can reach the database.
"""

from lanekeeper.lane.hold import RELEASE, Hold
from lanekeeper.lane.lock import LaneLock
from lanekeeper.lane.watch import Watch

__all__ = ["RELEASE", "Hold", "LaneLock", "Watch"]
