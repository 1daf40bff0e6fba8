"""What the demo model notes of a conversation: what people plainly say of themselves, in its three languages."""

import json
import re
from typing import Any

from tests.devkit.mainline.demo import statements
from tests.devkit.mainline.demo.summaries import told_in
from tests.devkit.mainline.words import words

MOST_NOTES = 12

_KNOWN = re.compile(r"^Known subjects: (\[.*\])$", re.MULTILINE)


def answer(body: dict[str, Any]) -> str:
    """The note writer's answer to a request: the notes that stand in its lines, the last of each subject."""
    asked = "\n".join(str(message.get("content")) for message in body["messages"] if message["role"] == "user")
    known = _known(asked)
    notes: dict[str, dict[str, str]] = {}
    for line in _lines(asked):
        for one in told_in(str(line.get("text", ""))):
            plain = statements.statement(one.body) is not None
            subject = one.subject if plain else _standing(one.body, [*notes, *known]) or one.subject
            notes.pop(subject, None)
            notes[subject] = {
                "kind": one.kind,
                "subject": subject,
                "body": one.body,
                "source": "stated",
                "source_message_id": str(line.get("id", "")),
            }
    return json.dumps({"notes": list(notes.values())[-MOST_NOTES:]}, ensure_ascii=False)


def _lines(asked: str) -> list[dict[str, Any]]:
    """The person's lines: objects of JSON, one a line of the request."""
    found: list[dict[str, Any]] = []
    for written in asked.split("\n"):
        try:
            line = json.loads(written)
        except ValueError:
            continue
        if isinstance(line, dict) and line.get("from") == "person":
            found.append(line)
    return found


def _known(asked: str) -> list[str]:
    """The subjects that notes stand about already."""
    found = _KNOWN.search(asked)
    return [str(subject) for subject in json.loads(found.group(1))] if found else []


def _standing(said: str, known: list[str]) -> str:
    """A subject that all stands in a sentence, which therefore tells of it again."""
    told = set(words(said))
    return next((subject for subject in known if len(words(subject)) > 1 and told.issuperset(words(subject))), "")
