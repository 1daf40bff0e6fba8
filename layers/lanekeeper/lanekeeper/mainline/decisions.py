"""Asks typed questions about a text or a picture, answered with probabilities: ``POST {base}/decisions``.

Where the gateway has no such endpoint, a small chat model fills in a fixed form instead. Its numbers are rougher, the
shape is the same.
"""

import asyncio
import math
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal

from lanekeeper import clock
from lanekeeper.limits import Limits
from lanekeeper.mainline import text
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.decision_form import form_about, read_form
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.questions import Answers, Evidence, Question, read_answers
from lanekeeper.mainline.reply import Delta
from lanekeeper.types import Json

PATH = "decisions"
MOST_QUESTIONS = 400

_NO_ENDPOINT = frozenset({404, 405, 501})
_NO_MODEL = frozenset({"model_not_found", "model_not_allowed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """Which models answer: the endpoint's own, and the chat model that stands in where there is no endpoint."""

    endpoint: Model
    chat: Model


class Decisions:
    """Asks typed questions. One instance serves a process: it remembers that a gateway has no endpoint.

    Args:
        mainline: the model client.
        limits: for how long a missing endpoint is not tried again.
    """

    def __init__(self, mainline: Mainline, limits: Limits) -> None:
        self._mainline = mainline
        self._missing_s = limits.decisions_missing_s
        self._missing_until = -math.inf

    async def ask(
        self, evidence: Evidence, questions: Sequence[Question], judges: Judges, caller: Caller, timeout_s: float
    ) -> tuple[Answers, Literal["gateway", "chat"]]:
        """All answers of one call, by question; one that was refused is left out. Also who gave them.

        Args:
            evidence: what is judged.
            questions: at most 400.
            judges: which models answer.
            caller: on whose behalf, and who counts the cost.
            timeout_s: seconds until there must be an answer, a second way of asking included.

        Raises:
            MainlineError: there was none in time, or none that can be read.
        """
        until = clock.monotonic() + timeout_s
        if clock.monotonic() >= self._missing_until:
            try:
                return await self._ask_endpoint(evidence, questions, judges.endpoint, caller, timeout_s), "gateway"
            except MainlineError as error:
                if error.status not in _NO_ENDPOINT and error.reason not in _NO_MODEL:
                    raise
                self._missing_until = clock.monotonic() + self._missing_s
        return await self._ask_chat(evidence, questions, judges.chat, caller, until - clock.monotonic()), "chat"

    async def ask_of_many(
        self, items: Sequence[str], questions: Sequence[Question], judges: Judges, caller: Caller, timeout_s: float
    ) -> list[Answers]:
        """The same questions about many texts, as many in one call as the endpoint takes (D7).

        Args:
            timeout_s: seconds for each call.

        Raises:
            MainlineError: a call failed.
        """
        answered: list[Answers] = []
        step = MOST_QUESTIONS // len(questions)
        for first in range(0, len(items), step):
            batch = items[first : first + step]
            evidence = text.dumps([{"item": number, "text": item} for number, item in enumerate(batch)])
            numbered = [_about(number, question) for number in range(len(batch)) for question in questions]
            answers, _ = await self.ask(evidence, numbered, judges, caller, timeout_s)
            for number in range(len(batch)):
                own = {question.name: answers.get(f"{number}.{question.name}") for question in questions}
                answered.append({name: answer for name, answer in own.items() if answer is not None})
        return answered

    async def _ask_endpoint(
        self, evidence: Evidence, questions: Sequence[Question], model: Model, caller: Caller, timeout_s: float
    ) -> Answers:
        said = evidence if isinstance(evidence, str) else [_message(evidence)]
        body = {"input": said, "questions": [question.to_wire() for question in questions]}
        answer = await self._mainline.ask(PATH, model, body, caller, timeout_s)
        listed = answer.get("answers")
        if not isinstance(listed, list):
            raise MainlineError("unavailable", retryable=True)
        named = {one["name"]: one for one in listed if isinstance(one, dict) and isinstance(one.get("name"), str)}
        return read_answers(questions, named)

    async def _ask_chat(
        self, evidence: Evidence, questions: Sequence[Question], model: Model, caller: Caller, timeout_s: float
    ) -> Answers:
        body = form_about(evidence, questions)
        try:
            async with asyncio.timeout(timeout_s), aclosing(self._mainline.chat(model, body, caller)) as pieces:
                written = [piece.text async for piece in pieces if isinstance(piece, Delta)]
        except TimeoutError:
            raise MainlineError("timeout", retryable=True) from None
        return read_form(questions, "".join(written))


def _message(parts: Sequence[Json]) -> Json:
    return {"type": "message", "role": "user", "content": list(parts)}


def _about(number: int, question: Question) -> Question:
    instructions = f"Only about the text of item {number}: {question.instructions}"
    return replace(question, name=f"{number}.{question.name}", instructions=instructions)
