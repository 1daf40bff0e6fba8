"""The stream: one turn, relayed as server-sent events while the worker writes it, and replayed afterwards.

A stream may be opened by any number of tabs, at any time and from any event on. It only reads: what it sends is what
the worker has committed to ``reply_chunks``, in that order, under the ids they have there. A client that goes away
stops nothing.
"""

from lanekeeper.stream.app import StreamApp
from lanekeeper.stream.relay import Relay

__all__ = ["Relay", "StreamApp"]
