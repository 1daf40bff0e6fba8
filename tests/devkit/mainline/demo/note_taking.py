"""What the demo model notes of a conversation: plain sentences of people about themselves, in English and German."""

import json
import re
from typing import Any

MOST_NOTES = 12

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_LEADING = re.compile(
    r"^\s*(?:(?:hi|hello|hey|well|also|and|oh|by the way|please|remember(?: that)?|note(?: that)?"
    r"|hallo|und|übrigens|merk dir,? dass)\b[\s,:!]*)*",
    re.IGNORECASE,
)
# What is said, and what it is about: a named group, or the last word.
_SAID: tuple[tuple[str, str], ...] = (
    ("fact", r"my (?P<of>[\w' -]{2,40}?) (?:is|are) (?:called|named) \S+.*"),
    ("fact", r"my name is (?P<called>\S+.*)"),
    ("preference", r"my favou?rite (?P<about>[\w' -]{2,40}?) (?:is|are) \S+.*"),
    ("fact", r"my (?P<about>[\w' -]{2,40}?) (?:is|are|has|have|was|plays|works|lives|likes|loves) \S+.*"),
    (
        "dislike",
        r"i (?:do not|don't|dislike|hate|can't stand|cannot stand)(?: like| drink| eat| want)? (?P<about>\S+.*)",
    ),
    ("preference", r"i (?:really |also )?(?:like|love|prefer|enjoy) (?:to )?(?P<about>\S+.*)"),
    ("plan", r"i(?:'m| am) (?:going|flying|moving|travelling|traveling|planning) to (?P<about>\S+.*)"),
    ("plan", r"i (?:plan|want|hope|will) (?:to )?(?P<about>\S+.*)"),
    ("fact", r"i (?:live|grew up|was born) (?:in|near|at) \S+.*(?P<home>)"),
    ("fact", r"i (?:work|am working) (?:as|at|for|in) \S+.*(?P<work>)"),
    ("fact", r"i (?:have|own|play|speak|study|drive|drink|eat) (?P<about>\S+.*)"),
    ("fact", r"mein(?:e)? (?P<of>\w{2,30}) heißt \S+.*"),
    ("preference", r"ich (?:mag|liebe|trinke|esse) (?:gern(?:e)? )?(?P<about>\S+.*)"),
    ("fact", r"ich wohne in \S+.*(?P<home>)"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _SAID)


def answer(body: dict[str, Any]) -> str:
    """The note writer's answer to a request: the notes that stand in its lines, the last of each subject."""
    notes: dict[str, dict[str, str]] = {}
    for line in _lines(body):
        for sentence in _SENTENCE.findall(str(line.get("text", ""))):
            if note := _note(sentence, str(line.get("id", ""))):
                notes.pop(note["subject"], None)
                notes[note["subject"]] = note
    return json.dumps({"notes": list(notes.values())[-MOST_NOTES:]}, ensure_ascii=False)


def _lines(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The person's lines: objects of JSON, one a line of the request."""
    asked = "\n".join(str(message.get("content")) for message in body["messages"] if message["role"] == "user")
    found: list[dict[str, Any]] = []
    for written in asked.split("\n"):
        try:
            line = json.loads(written)
        except ValueError:
            continue
        if isinstance(line, dict) and line.get("from") == "person":
            found.append(line)
    return found


def _note(sentence: str, message_id: str) -> dict[str, str] | None:
    said = _LEADING.sub("", sentence).strip()
    if said.endswith("?"):
        return None
    said = said.rstrip(".! ")
    for kind, pattern in _PATTERNS:
        if found := pattern.fullmatch(said):
            return {
                "kind": kind,
                "subject": _subject(found),
                "body": said,
                "source": "stated",
                "source_message_id": message_id,
            }
    return None


def _subject(found: re.Match[str]) -> str:
    groups = {name: value for name, value in found.groupdict().items() if value is not None}
    if "of" in groups:
        return f"{groups['of']} name"
    if "about" in groups:
        return " ".join(groups["about"].split()[:3])
    return "name" if "called" in groups else next(iter(groups))
