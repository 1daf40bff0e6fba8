"""Compaction: a long conversation becomes a summary and its last messages while its person chats on (C2, C3, C4)."""

from lanekeeper.compaction.rules import Plan, pieces, plan
from lanekeeper.compaction.store import History, OutdatedError, Published, Released, check, publish, read, release
from lanekeeper.compaction.summarising import FEATURE, Request, Summariser, SummaryError

__all__ = [
    "FEATURE",
    "History",
    "OutdatedError",
    "Plan",
    "Published",
    "Released",
    "Request",
    "Summariser",
    "SummaryError",
    "check",
    "pieces",
    "plan",
    "publish",
    "read",
    "release",
]
