"""Conversations: what a person sees of theirs, on every device: the list, the history, what came in between."""

from lanekeeper.conversations.rules import Cursor, Page
from lanekeeper.conversations.store import Conversations

__all__ = ["Conversations", "Cursor", "Page"]
