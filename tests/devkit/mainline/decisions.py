"""``POST /v1/decisions``: predicates, choices and scores about one input, as scripted or plainly unremarkable."""

from collections.abc import Callable
from typing import Any

from tests.devkit.mainline import faults
from tests.devkit.mainline.caller import Caller
from tests.devkit.mainline.errors import invalid
from tests.devkit.mainline.pricing import permitted
from tests.devkit.mainline.prompt import tokens
from tests.devkit.mainline.requests import RequestLog
from tests.devkit.mainline.scripts import Queues, Verdict
from tests.devkit.mainline.usage import COST_HEADER
from tests.devkit.mainline.wire import Reply

MOST_QUESTIONS = 400
UNREMARKABLE = {"language": "en", "difficulty": "easy"}
# Scripted in place of an answer, it declines the question.
REFUSAL = "refusal"


# From what is judged, the answers by the questions' names; a question that is not among them is unremarkable.
Judge = Callable[[Any], dict[str, Any]]


class Decisions:
    """The decisions route and its queue of verdicts.

    Args:
        log: where requests are noted.
        judge: answers while nothing was ever scripted, so that whoever only looks around sees decisions made. From the
            first verdict on that is scripted, what is unset is unremarkable.
    """

    def __init__(self, log: RequestLog, judge: Judge | None = None) -> None:
        self._log = log
        self._judge = judge
        self.verdicts: Queues[Verdict] = Queues()

    def script(self, verdicts: list[Verdict], user: str | None) -> int:
        """Queue verdicts for the calls of a person, or of everybody; none at all clears that queue.

        Returns how many wait in it now.
        """
        self._judge = None
        return self.verdicts.put(verdicts, "decisions", user)

    async def answer(self, raw: bytes, body: dict[str, Any], caller: Caller, reply: Reply) -> None:
        """Answer every question of one request.

        Raises:
            ApiError: the request is refused, or its script says so.
        """
        model = permitted(body, "decisions")
        received = self._log.add(caller.user, caller.feature, model.id, raw)
        received.input_tokens = tokens(raw)
        questions = _questions(body)
        verdict = self.verdicts.take("decisions", caller.user) or self._unscripted(body["input"])
        await faults.pause(verdict.delay_s)
        if await faults.fail(verdict.error, reply):
            return
        answers = [_answer(question, verdict.answers.get(_named(question))) for question in questions]
        output = 4 * len(answers)
        spent = {
            "input_tokens": received.input_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": received.input_tokens + output,
        }
        cost = model.cost(received.input_tokens, 0, output)
        reply.json(200, {"model": model.id, "answers": answers, "usage": spent}, {COST_HEADER: repr(cost)})

    def _unscripted(self, evidence: Any) -> Verdict:
        return Verdict(answers=self._judge(evidence)) if self._judge else Verdict()


def _questions(body: dict[str, Any]) -> list[dict[str, Any]]:
    questions = body.get("questions")
    if not isinstance(questions, list) or not 1 <= len(questions) <= MOST_QUESTIONS:
        raise invalid(f"questions must hold 1 to {MOST_QUESTIONS} questions", "questions")
    if not body.get("input"):
        raise invalid("input is missing", "input")
    for index, question in enumerate(questions):
        at = f"questions[{index}]"
        kind = question.get("type") if isinstance(question, dict) else None
        if kind not in ("predicate", "choice", "score"):
            raise invalid(f"{at} is no predicate, choice or score", f"{at}.type")
        if not question.get("instructions"):
            raise invalid(f"{at} has no instructions", f"{at}.instructions")
        options = {"choice": "choices", "score": "levels"}.get(kind)
        if options and (not isinstance(question.get(options), list) or len(question[options]) < 2):
            raise invalid(f"{at} needs at least two {options}", f"{at}.{options}")
    return questions


def _named(question: dict[str, Any]) -> str:
    """What a script calls a question. One about the third item of many, ``2.injection``, is ``injection`` to it."""
    number, point, name = (question.get("name") or "").partition(".")
    return name if point and number.isdecimal() else number


def _answer(question: dict[str, Any], scripted: Any) -> dict[str, Any]:
    kind, name = question["type"], question.get("name")
    answer: dict[str, Any] = {"type": kind, "name": name}
    if scripted == REFUSAL:
        return {**answer, "type": REFUSAL}
    if kind == "predicate":
        return {**answer, "probability": 0.0 if scripted is None else _number(scripted, name)}
    if kind == "choice":
        values = [choice.get("value") for choice in question["choices"]]
        usual = UNREMARKABLE.get(name or "")
        chosen = scripted if scripted is not None else usual if usual in values else values[0]
        if chosen not in values:
            raise invalid(f"the scripted answer to {name} is none of its choices", "questions")
        shares = [{"value": value, "probability": float(value == chosen)} for value in values]
        return {**answer, "choice": chosen, "confidence": 1.0, "probabilities": shares}
    score = 0.0 if scripted is None else _number(scripted, name)
    levels = [
        {"label": level.get("label"), "value": index, "probability": float(index == round(score))}
        for index, level in enumerate(question["levels"])
    ]
    return {**answer, "score": score, "confidence": 1.0, "probabilities": levels}


def _number(scripted: Any, name: str | None) -> float:
    # A test may say true for surely yes.
    if not isinstance(scripted, int | float):
        raise invalid(f"the scripted answer to {name} is no number", "questions")
    return float(scripted)
