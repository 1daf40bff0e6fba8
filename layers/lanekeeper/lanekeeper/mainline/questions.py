"""Typed questions and their answers, as the decision endpoint takes and gives them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lanekeeper.types import Json

Kind = Literal["predicate", "choice", "score"]
# A text, or the parts of one user message: ``text_part`` and ``image_part``.
Evidence = str | Sequence[Json]

# Where an answer of each kind stands.
FIELDS: Mapping[Kind, str] = {"predicate": "probability", "choice": "choice", "score": "score"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question.

    Attributes:
        name: what its answer is called.
        kind: ``predicate`` asks how probable a statement is, ``choice`` for one of the options, ``score`` for a place
            on a scale whose levels are the options, counted from 0.
        instructions: the whole question.
        options: of a choice or score, each with what it means; empty where its name says that already.
    """

    name: str
    kind: Kind
    instructions: str
    options: tuple[tuple[str, str], ...] = ()

    def to_wire(self) -> Json:
        """The question as the endpoint takes it."""
        wire: Json = {"type": self.kind, "name": self.name, "instructions": self.instructions}
        if self.kind == "choice":
            wire["choices"] = [_described("value", value, meaning) for value, meaning in self.options]
        elif self.kind == "score":
            wire["levels"] = [_described("label", label, meaning) for label, meaning in self.options]
        return wire

    def schema(self) -> Json:
        """The question as a field of the chat model's form."""
        if self.kind == "choice":
            return {"type": "string", "enum": [value for value, _ in self.options]}
        return {"type": "number"}


def _described(name: str, option: str, meaning: str) -> Json:
    return {name: option, "description": meaning} if meaning else {name: option}


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer.

    Attributes:
        value: a probability from 0 to 1, the chosen option, or a place on the scale.
        confidence: from 0 to 1; of a predicate always 1, since its value says it.
        shares: the probability of each option, as it was given.
    """

    value: float | str
    confidence: float = 1.0
    shares: Sequence[Json] = field(default=(), compare=False, repr=False)


Answers = Mapping[str, Answer]


def text_part(said: str) -> Json:
    """A part of the evidence that is text."""
    return {"type": "input_text", "text": said}


def image_part(data_url: str) -> Json:
    """A part of the evidence that is a picture, as a ``data:`` URL."""
    return {"type": "input_image", "image_url": data_url}


def read_answers(questions: Sequence[Question], given: Mapping[Any, Json]) -> Answers:
    """The answers that fit their question. A refusal, or what is no answer to it, is left out."""
    answers: dict[str, Answer] = {}
    for question in questions:
        one = given.get(question.name, {})
        value, shares = one.get(FIELDS[question.kind]), one.get("probabilities") or ()
        if question.kind == "choice":
            if isinstance(value, str) and value in dict(question.options):
                answers[question.name] = Answer(value, _share(one.get("confidence", 1.0)), shares)
        elif (number := _number(value)) is not None:
            highest = 1.0 if question.kind == "predicate" else float(len(question.options) - 1)
            confidence = 1.0 if question.kind == "predicate" else _share(one.get("confidence", 1.0))
            answers[question.name] = Answer(min(max(number, 0.0), highest), confidence, shares)
    return answers


def _share(value: Any) -> float:
    return min(max(_number(value) or 0.0, 0.0), 1.0)


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON writes whole numbers of any length
        return None
    return number if math.isfinite(number) else None
