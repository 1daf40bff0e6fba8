"""Replies: what a person sees of a turn, while it is written and once it is said. The one path out."""

from lanekeeper.replies.assembly import Assembly
from lanekeeper.replies.outbox import Reply, deliver, deliver_and_release, send
from lanekeeper.replies.reply_stream import ReplyStream

__all__ = ["Assembly", "Reply", "ReplyStream", "deliver", "deliver_and_release", "send"]
