"""The inbox: what people sent, accepted once each and in order, waiting for their lane."""

from lanekeeper.inbox.rules import Incoming
from lanekeeper.inbox.store import Accepted, Inbox, Stopped

__all__ = ["Accepted", "Inbox", "Incoming", "Stopped"]
