"""The labelled set: messages that people might write, and which questions are to be answered with yes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lanekeeper.decisions.questions import LANGUAGES, questions_about

PLACE = Path(__file__).resolve().parents[2] / "data" / "decisions" / "labelled.tsv"
PREDICATES = tuple(question.name for question in questions_about("text") if question.kind == "predicate")
NONE = "-"
HARD = "hard"


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled message."""

    language: str
    labels: frozenset[str]
    text: str

    @property
    def difficulty(self) -> str:
        """What the message is labelled with as its difficulty."""
        return HARD if HARD in self.labels else "easy"


def labelled(place: Path = PLACE) -> Sequence[Sample]:
    """Every labelled message, in the file's order.

    Raises:
        ValueError: a line does not have its three fields, or names what is no question or language.
    """
    samples = []
    for number, written in enumerate(place.read_text(encoding="utf-8").splitlines(), start=1):
        if not written or written.startswith("#"):
            continue
        fields = written.split("\t")
        if len(fields) != 3:
            raise ValueError(f"line {number} has {len(fields)} fields")
        language, labels, text = fields
        named = frozenset() if labels == NONE else frozenset(labels.split(","))
        if language not in LANGUAGES or not named <= {*PREDICATES, HARD}:
            raise ValueError(f"line {number} names what is no question or language")
        samples.append(Sample(language, named, text))
    return samples
