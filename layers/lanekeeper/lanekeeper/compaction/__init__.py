"""Compaction: a long conversation becomes a summary and its last messages while its person chats on (C2, C3, C4)."""
