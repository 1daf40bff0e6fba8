"""Public sets of questions with their evidence, read from a folder that is no part of the project."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ADVERSARIAL = "adversarial"
"""Questions about the wrong one of two speakers: what they name as evidence answers them only seemingly."""
CATEGORIES = {1: "multi-evidence", 2: "temporal", 3: "open-domain", 4: "single", 5: ADVERSARIAL}
"""What LoCoMo's numbers stand for."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """One note of a set: what it is of, what it says, and the key that evidence names."""

    key: str
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and for each piece of its evidence the keys of the notes that hold it. No key: nothing does."""

    text: str
    evidence: tuple[frozenset[str], ...]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """One person of a set: notes, oldest first, and questions about them."""

    set: str
    id: str
    notes: tuple[Remembered, ...]
    questions: tuple[Asked, ...]


def read(folder: Path) -> list[Person]:
    """Every person of the sets that the folder holds; none when it holds none."""
    return [*_locomo(folder / "locomo"), *_bfcl(folder / "bfcl_memory")]


def _locomo(folder: Path) -> Iterator[Person]:
    for file in sorted(folder.glob("*.json")):
        for talk in json.loads(file.read_text(encoding="utf-8")):
            sessions = [value for name, value in talk["conversation"].items() if re.fullmatch(r"session_\d+", name)]
            turns = [
                Remembered(turn["dia_id"], turn["speaker"], f"{turn['text']} {turn.get('blip_caption', '')}".strip())
                for session in sessions
                for turn in session
            ]
            observations = list(_observations(talk["observation"]))
            for kind, notes in (("turns", turns), ("observations", observations)):
                holders = _holders(notes)
                questions = (
                    Asked(
                        str(qa["question"]),
                        tuple(holders.get(turn, frozenset()) for turn in _evidence(qa)),
                        CATEGORIES[qa["category"]],
                    )
                    for qa in talk["qa"]
                )
                known = tuple(question for question in questions if question.evidence)
                yield Person(kind, f"{talk['sample_id']}-{kind}", tuple(notes), known)


def _evidence(qa: dict[str, Any]) -> list[str]:
    return re.findall(r"D\d+:\d+", " ".join(map(str, qa["evidence"])))


def _observations(sessions: dict[str, dict[str, list[list[Any]]]]) -> Iterator[Remembered]:
    for by_speaker in sessions.values():
        for speaker, said in by_speaker.items():
            for body, turns in said:
                yield Remembered(" ".join(re.findall(r"D\d+:\d+", str(turns))), speaker, body)


def _holders(notes: list[Remembered]) -> dict[str, frozenset[str]]:
    """Which notes hold each turn. Several may: an observation of each speaker."""
    found: dict[str, set[str]] = {}
    for note in notes:
        for turn in note.key.split():
            found.setdefault(turn, set()).add(note.key)
    return {turn: frozenset(keys) for turn, keys in found.items()}


def _bfcl(folder: Path) -> Iterator[Person]:
    if not (folder / "questions.json").exists():
        return
    questions = {row["id"]: row for row in json.loads((folder / "questions.json").read_text(encoding="utf-8"))}
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    for file in sorted(folder.glob("memory_*.json")):
        name = file.stem.removeprefix("memory_")
        talks = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        said = [message["content"] for talk in talks for turn in talk["question"] for message in turn]
        notes = tuple(Remembered(str(number), "", text) for number, text in enumerate(said))
        asked = (
            Asked(questions[answer["id"]]["question"][0][0]["content"], (_quoted(answer["source"], notes),))
            for answer in answers
            if f"-{name}-" in answer["id"]
        )
        yield Person("bfcl", name, notes, tuple(asked))


def _quoted(source: str, notes: tuple[Remembered, ...]) -> frozenset[str]:
    pieces = [_plain(piece) for piece in re.split(r"\.\.\.|…", source) if _plain(piece)]
    return frozenset(note.key for note in notes if any(piece in _plain(note.body) for piece in pieces))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
