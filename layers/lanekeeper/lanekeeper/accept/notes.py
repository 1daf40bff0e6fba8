"""A note as its person reads it."""

from lanekeeper.conversations.rules import moment
from lanekeeper.types import Json


def note(row: Json, most_chars: int) -> Json:
    """A note with the message that it comes from: why it is thought to be so.

    Args:
        row: the note, beside its message.
        most_chars: characters of the message's text that are shown.
    """
    said = "\n".join(part["text"] for part in row["parts"] if part.get("type") == "text")
    return {
        "id": row["id"],
        "kind": row["kind"],
        "subject": row["subject"],
        "body": row["body"],
        "source": row["source"],
        "savedAt": moment(row["saved_at"]),
        "expiresAt": moment(row["expires_at"]) if row["expires_at"] else None,
        "sourceMessage": {
            "id": row["message_id"],
            "conversationId": row["conversation_id"],
            "text": said if len(said) <= most_chars else f"{said[: most_chars - 1].rstrip()}\u2026",
            "createdAt": moment(row["created_at"]),
        },
    }
