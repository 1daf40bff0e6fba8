"""What an upload is called, what is said of it, and what may go along with a message. Pure."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from lanekeeper.errors import Problem
from lanekeeper.lines import Line, lines_beside, together
from lanekeeper.parser.kinds import Kind, kind_of, media_type_of
from lanekeeper.parser.order import Unreadable
from lanekeeper.types import Json

# An upload's state in a word of the contract.
VERDICTS = {"quarantined": "pending", "checking": "pending"}

_NEXT = "_next"


@cache
def lines() -> Mapping[str, tuple[Line, Line]]:
    """Why there is nothing in a file that may be used, in words for its sender: what is wrong, and what can be done."""
    written = lines_beside(__file__)
    return {code: (line, written[code + _NEXT]) for code, line in written.items() if not code.endswith(_NEXT)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A file as its sender gives it, once its own bytes have said what it is."""

    name: str
    media_type: str
    content: bytes
    key: str | None = None

    @property
    def kind(self) -> Kind:
        """Whether it is looked at or read."""
        return kind_of(self.media_type)

    @property
    def sha256(self) -> str:
        """What tells it from another one."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """An upload that goes along with a message."""

    id: str
    name: str
    kind: Kind
    media_type: str

    def ui_part(self) -> Json:
        """The part of an AI SDK UIMessage that stands for it. The address is one of ours, without a stage's prefix."""
        return {
            "type": "file",
            "mediaType": self.media_type,
            "filename": self.name,
            "url": f"/uploads/{self.id}/content",
        }

    def reference(self) -> Json:
        """What a thread keeps of it: a content block without content."""
        return {"type": "upload", "id": self.id, "name": self.name, "kind": self.kind, "mime_type": self.media_type}


def received(content: bytes, name: str | None, max_name: int, key: str | None) -> Given:
    """A file that was just received.

    Raises:
        Problem: 422 for one without content; 415 for one that is of no kind that is read here.
    """
    if not content:
        raise Problem(422, "empty_file", "This file is empty.", "Send one with something in it.")
    plain = plain_name(name or "", max_name)
    try:
        media_type = media_type_of(content, plain)
    except Unreadable as reason:
        # A refusal of the API, like all of them in English: whoever sends a file may be unknown here.
        what, then = lines()[reason.code]
        raise Problem(415, "unsupported_file", what.en, then.en) from None
    return Given(name=plain or _UNNAMED[kind_of(media_type)], media_type=media_type, content=content, key=key)


_UNNAMED = {"image": "picture", "file": "file"}
_SEPARATORS = re.compile(r"[\s\"<>\[\]]+")


def plain_name(name: str, max_chars: int) -> str:
    """A file's name without its folders and without anything that could be more than a name."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(letter for letter in last if unicodedata.category(letter)[0] != "C")
    plain = _SEPARATORS.sub(" ", shown).strip(" .")
    if len(plain) <= max_chars:
        return plain
    head, dot, ending = plain.rpartition(".")
    # What kind of file it is stays to be seen.
    if dot and len(ending) <= 10:
        return f"{head[: max_chars - len(ending) - 1].rstrip()}.{ending}"
    return plain[:max_chars].rstrip()


_ADDRESS = re.compile(r"(?:.*/)?uploads/([A-Za-z0-9_-]{1,80})(?:/content)?")


def upload_at(url: str) -> str | None:
    """The id of the upload that an address of ours is of."""
    try:
        found = _ADDRESS.fullmatch(urlsplit(url).path)
    except ValueError:
        return None
    return found[1] if found else None


def told(row: Mapping[str, Any]) -> Json:
    """An upload as the contract shows it."""
    body = {"uploadId": row["id"], "kind": row["kind"], "verdict": VERDICTS.get(row["state"], row["state"])}
    if row["message"]:
        body["message"] = row["message"]
    return body


_PIECE_CHARS, _OVERLAP_CHARS = 6000, 300


def pieces(text: str) -> list[str]:
    """A text in pieces that are judged by themselves. They overlap, so that no sentence is only seen in halves."""
    step = _PIECE_CHARS - _OVERLAP_CHARS
    return [text[at : at + _PIECE_CHARS] for at in range(0, max(len(text) - _OVERLAP_CHARS, 1), step)]


def line(code: str, language: str | None) -> str:
    """What is said of an upload that was not taken, as one text in its sender's language."""
    return together(language, *lines().get(code, lines()["broken"]))
