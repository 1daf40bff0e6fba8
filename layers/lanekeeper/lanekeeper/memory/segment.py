"""A stretch of a transcript that no note writer has read: what the person wrote, and what they answered to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__)

# Not the names of the locale: the same words on every machine.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message. Only the person's own may become notes; what others said is there to be understood by."""

    id: str
    role: str
    text: str
    day: str
    position: int
    language: str = "en"

    @property
    def own(self) -> bool:
        """Whether the person wrote it."""
        return self.role == "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What is read for notes at once.

    Attributes:
        lines: its messages, oldest first.
        after: how far had been read when it was loaded, as a position in the transcript.
        until: how far will have been read when its notes are kept.
        forgets: how often the person had something forgotten until then.
        subjects: what notes of the person stand about, so that the same thing gets the same name.
    """

    user_id: str
    conversation_id: str
    lines: tuple[Line, ...]
    after: int
    until: int
    forgets: int = 0
    subjects: tuple[str, ...] = ()

    @property
    def own(self) -> Mapping[str, Line]:
        """The person's own messages, by id."""
        return {line.id: line for line in self.lines if line.own}


async def unread(
    database: Database, user_id: str, conversation_id: str, limits: Limits, *, until: int | None = None
) -> Segment | None:
    """The next stretch that no writer has read, or None when there is none, or no such conversation of this person.

    It holds no result of a tool, no note, no summary, nothing that the person had forgotten, and nothing that
    code has acted on, such as a cry for help or a complaint.

    Args:
        database: whose connection is used.
        user_id: the person.
        conversation_id: the conversation.
        limits: how much is read at once.
        until: the position in the transcript of the last message to read; to its end without one.

    Raises:
        DatabaseUnreachableError: the database did not answer.
    """
    known = {
        "conversation_id": conversation_id,
        "until": until,
        "messages": limits.notes_segment_messages,
        "subjects": limits.notes_subjects,
    }
    (rows,) = await database.at_once(SQL["unread"], user_id=user_id, parameters=known)
    if not rows:
        return None
    lines = cut([_line(row) for row in rows if not row["forgotten"]], limits)
    # What was passed over at the end has been read as well, unless the cut left something out.
    whole = len(lines) == sum(not row["forgotten"] for row in rows)
    read_to = rows[-1]["position"] if whole or not lines else lines[-1].position
    head = rows[0]
    return Segment(
        user_id=user_id,
        conversation_id=conversation_id,
        lines=tuple(lines),
        after=head["read_to"],
        until=max(read_to, head["read_to"]),
        forgets=head["forgets"],
        subjects=tuple(head["subjects"]),
    )


def cut(lines: Sequence[Line], limits: Limits) -> list[Line]:
    """The first lines that fit into one segment: at least one of the person's own, however long it is.

    What others said is shortened: it is no more than what an answer can be understood by.
    """
    kept: list[Line] = []
    left = limits.notes_segment_chars
    for line in lines:
        shown = line if line.own else _shortened(line, limits.notes_context_chars)
        left -= len(shown.text)
        if left < 0 and any(before.own for before in kept):
            break
        kept.append(shown)
    return kept


def _shortened(line: Line, chars: int) -> Line:
    if len(line.text) <= chars:
        return line
    # Its end: that is where questions stand.
    fields = {name: getattr(line, name) for name in Line.__dataclass_fields__}
    return Line(**{**fields, "text": "..." + line.text[-chars:]})


def _line(row: Mapping[str, Any]) -> Line:
    return Line(
        id=row["id"],
        role=row["role"],
        text=text_of(row["parts"]),
        day=_day(row["created_at"], row["timezone"]),
        position=row["position"],
        language=row["language"] or "en",
    )


def text_of(parts: Sequence[Json]) -> str:
    """The words of a message as the transcript keeps it, and nothing of tools, sources, files or thoughts."""
    return "\n".join(str(part.get("text") or "") for part in parts if part.get("type") == "text").strip()


def _day(moment: datetime, timezone: str) -> str:
    try:
        zone: Any = ZoneInfo(timezone)
    except (KeyError, ValueError, OSError):
        zone = UTC
    here = moment.astimezone(zone).date()
    return f"{_WEEKDAYS[here.weekday()]} {here.isoformat()}"
