"""The model of the month: it summarises and takes notes by picking sentences, and is the demo model in all else.

It stands in for a real one where a month is measured. It knows no fact and no question of the month: a sentence counts
by its words alone, and is taken over as it was said.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.scripts import Script
from tests.devkit.mainline.words import words

MOST_CHARS = 3_600
MOST_WORDS = 40
MOST_NOTES = 12
NOTHING = "The person asked everyday questions and told nothing of themselves."

_EARLIER = re.compile(r"<summary>\n(.*?)\n</summary>", re.DOTALL)
# A conversation told in one text, as some programs hand it over: who spoke stands before each message.
_SPOKEN = re.compile(r"^(Human|AI|Tool|System): ", re.MULTILINE)
_KNOWN = re.compile(r"^Known subjects: (\[.*\])$", re.MULTILINE)
_END = re.compile(r"(?<=[.!?])\s+|\n+")
_ASKING = re.compile(
    r"^(?:please |by the way, )?(?:remember that |please remember |remember |note that )?", re.IGNORECASE
)
_OWNED = re.compile(r"\b(?:my|our) ([\w'-]+)(?: ([\w'-]+))?", re.IGNORECASE)
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_OWN, _PASSING, _SMALL = (frozenset(_WORDS[name].split()) for name in ("own", "passing", "small"))


class Extracting:
    """Answers a chat request, at once."""

    def __init__(self) -> None:
        self._demo = DemoModel(zero_delay=True)

    def __call__(self, body: dict[str, Any], feature: str) -> Script:
        """The answer to a request for a feature."""
        if feature == "summary":
            return Script(text=summary(body["messages"]))
        return Script(text=notes(body["messages"])) if feature == "notes" else self._demo(body, feature)


def summary(messages: Sequence[dict[str, Any]]) -> str:
    """The summary that a request's last message asks for: the one before it, and what the person said of themselves."""
    told = "\n".join(str(one["content"]) for one in messages[:-1] if one["role"] == "system")
    earlier = [line for part in _EARLIER.findall(told) for line in part.split("\n") if line.startswith("- ")]
    said = list(_spoken_in(messages[-1]["content"])) or [
        str(one["content"]) for one in messages[:-1] if one["role"] == "user"
    ]
    own = [f"- {one.removeprefix('- ')}" for text in said for one in _END.split(text) if lasts(one)]
    # The latest word on a thing is at the end, also when it was said before.
    kept = {words(line): line for line in [*earlier, *own]}
    return "\n".join(_that_fit(list(kept.values()))) or NOTHING


def notes(messages: Sequence[dict[str, Any]]) -> str:
    """The notes that stand in the lines of a note writer's request."""
    asked = "\n".join(str(one["content"]) for one in messages if one["role"] == "user")
    known = json.loads(found.group(1)) if (found := _KNOWN.search(asked)) else []
    drawn: dict[str, dict[str, str]] = {}
    for line in _lines(asked):
        for sentence in filter(lasts, _END.split(line["text"])):
            body = _ASKING.sub("", sentence).rstrip(".! ")
            subject = _subject(body, [*drawn, *known])
            kind = "preference" if {"like", "prefer", "favourite"} & set(words(body)) else "fact"
            note = {"kind": kind, "subject": subject, "body": body, "source": "stated"}
            drawn[subject] = note | {"source_message_id": line["id"]}
    return json.dumps({"notes": list(drawn.values())[-MOST_NOTES:]})


def lasts(sentence: str) -> bool:
    """Whether a sentence says something of who wrote it, and not of this moment only."""
    said = words(_ASKING.sub("", sentence))
    fits = not sentence.rstrip().endswith("?") and 2 < len(said) <= MOST_WORDS
    return fits and not _OWN.isdisjoint(said) and _PASSING.isdisjoint(said)


def asks_of_oneself(text: str) -> bool:
    """Whether a message asks for something that only the person can know: what a classifier is asked in its place."""
    return text.rstrip().endswith("?") and not _OWN.isdisjoint(words(text))


def _subject(body: str, known: Iterable[str]) -> str:
    """A known subject that all stands in the sentence; else what is the person's own in it; else its first words."""
    said = words(body)
    for subject in known:
        if set(words(subject)) <= set(said):
            return subject
    owned = [word for found in _OWNED.findall(body) for word in words(" ".join(found)) if word not in _SMALL]
    return " ".join((owned or [word for word in said if word not in _SMALL])[:3])


def _that_fit(lines: list[str]) -> list[str]:
    """As many as there is room for: those without a name or a number go first, then the oldest."""
    for plain in (True, False):
        for line in list(lines):
            if sum(len(one) + 1 for one in lines) <= MOST_CHARS:
                return lines
            if not plain or not re.search(r"(?<=\w )[A-Z]\w|\d", line):
                lines.remove(line)
    return lines


def _spoken_in(text: str) -> Iterator[str]:
    parts = _SPOKEN.split(text)[1:]
    yield from (said for who, said in zip(parts[::2], parts[1::2], strict=True) if who == "Human")


def _lines(asked: str) -> Iterator[dict[str, str]]:
    """The person's lines: objects of JSON, one a line of the request."""
    for written in asked.split("\n"):
        if written.startswith('{"') and (line := json.loads(written)).get("from") == "person":
            yield line
