"""What the note writer's model is asked, and how its answer is read: whatever it says, it never breaks the reader."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from lanekeeper.limits import Limits
from lanekeeper.mainline import text
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.schema import in_words
from lanekeeper.mainline.shape import MisfitError, Shape
from lanekeeper.mainline.structured import told
from lanekeeper.memory.rules import Kind, Note, Source
from lanekeeper.memory.segment import Line, Segment
from lanekeeper.types import Json

NOT_THEIRS = "Its source_message_id is not the id of a line of the person."


class Drawn(BaseModel):
    """One note as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    kind: Kind
    subject: str
    body: str
    source: Source
    source_message_id: str


class Notes(BaseModel):
    """The notes that the conversation holds; an empty list when it holds none."""

    notes: list[Drawn]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A note that cannot be kept, as the model wrote it, and why, in words for it."""

    entry: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answer holds: notes that could be kept, and entries that are none."""

    notes: tuple[Note, ...] = ()
    wrong: tuple[Wrong, ...] = ()


def request(segment: Segment) -> list[Json]:
    """The messages that ask for the notes of a segment.

    The orders come first and never change, so that providers read them from their cache; what was said is JSON, so that
    no text can pass for another line or for an order.
    """
    known = text.dumps(list(segment.subjects))
    lines = "\n".join(text.dumps(_shown(line)) for line in segment.lines)
    asked = f"Known subjects: {known}\n\nThe conversation:\n{lines}"
    return [{"role": "system", "content": _orders()}, {"role": "user", "content": asked}]


def body(messages: Sequence[Json], model: Model, limits: Limits) -> Json:
    """The rest of the request, for a direct call or a line of a batch: how ``model`` is made to answer in the shape."""
    return chat_body(messages, **Shape(Notes, model).options(), max_tokens=limits.notes_answer_tokens)


def read(message: Json, segment: Segment, limits: Limits) -> Draft:
    """The notes in an assistant's message, each of a message that the person wrote in this segment.

    More keys than asked for are ignored, and what is no note is set apart with the reason.

    Args:
        message: ``{"content"?, "tool_calls"?}`` in OpenAI's form.
        segment: what it was asked about.
        limits: how many notes one answer may hold; more are left out.

    Raises:
        MisfitError: there is no list of notes in it at all.
    """
    notes: list[Note] = []
    wrong: list[Wrong] = []
    for entry in _entries(message)[: limits.notes_per_answer]:
        try:
            drawn = Drawn.model_validate(_bare(entry))
        except ValidationError as error:
            wrong.append(Wrong(entry, in_words(error)))
            continue
        line = segment.own.get(drawn.source_message_id)
        if line is None:
            wrong.append(Wrong(entry, NOT_THEIRS))
            continue
        fields = drawn.model_dump() | {"subject": text.storable(drawn.subject), "body": text.storable(drawn.body)}
        notes.append(Note(**fields, language=line.language))
    return Draft(tuple(notes), tuple(wrong))


def corrected(messages: Sequence[Json], message: Json, wrong: Sequence[Wrong]) -> list[Json]:
    """The request once more, with what was wrong in the answer to it."""
    reasons = "\n".join(text.dumps({"note": one.entry, "refused": one.reason}) for one in wrong)
    words = (
        "These were refused, all others are kept:\n"
        f"{reasons}\n"
        "Give those again that can be put right, as a list of notes like before, and leave out the rest."
    )
    return [*messages, *told(message, words)]


def as_sent(message: Json) -> Json:
    """An assistant's message as a request may hold it: gateways add fields that no provider takes back."""
    sent: Json = {"role": "assistant", "content": message.get("content")}
    calls = [
        {"id": call.get("id") or f"call_{place}", "type": "function", "function": call["function"]}
        for place, call in enumerate(_calls(message))
    ]
    return sent | ({"tool_calls": calls} if calls else {})


def as_entry(note: Note) -> Json:
    """A note as a model writes it."""
    return Drawn(**{name: getattr(note, name) for name in Drawn.model_fields}).model_dump()


def _entries(message: Json) -> list[Any]:
    """The list of notes, wherever the model has put it."""
    functions = [call["function"] for call in _calls(message)]
    written = next((one.get("arguments") for one in functions if one.get("name") == Notes.__name__), None)
    if written is None:
        written = _json_in(str(message.get("content") or ""))
    try:
        value = text.loads(written) if isinstance(written, str) else written
    except (ValueError, RecursionError):
        raise MisfitError("It is no whole JSON object with a list of notes.") from None
    listed = value.get("notes") if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise MisfitError("It is no JSON object with a list of notes.")
    return listed


def _calls(message: Json) -> list[Json]:
    """The tool calls that are any."""
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [call for call in found if isinstance(call.get("function"), dict)]


def _json_in(said: str) -> str:
    """What stands between the first bracket and the last: models put words and fences around it."""
    begins = [place for bracket in "{[" if (place := said.find(bracket)) >= 0]
    return said[min(begins) : max(said.rfind(bracket) for bracket in "}]") + 1] if begins else ""


def _bare(entry: Any) -> Any:
    """An entry whose choices are written as the shape has them."""
    if not isinstance(entry, dict):
        return entry
    chosen = {name: entry[name].strip().lower() for name in ("kind", "source") if isinstance(entry.get(name), str)}
    return entry | chosen


def _shown(line: Line) -> Json:
    if line.own:
        return {"from": "person", "id": line.id, "day": line.day, "text": line.text}
    return {"from": line.role, "text": line.text}


@cache
def _orders() -> str:
    return Path(__file__).with_name("writer.md").read_text(encoding="utf-8").strip()
