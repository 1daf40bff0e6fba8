"""LangChain's decision model on top of the client, for chains and middleware that take one."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.decisions import Answer as GivenAnswer
from langchain_core.decisions import (
    BaseDecisionModel,
    Choice,
    ChoiceAnswer,
    ClassifierResponse,
    Noul,
    NoulAnswer,
    Score,
    ScoreAnswer,
)
from langchain_core.decisions import Question as GivenQuestion
from langchain_core.messages import BaseMessage
from pydantic import ConfigDict, Field, SkipValidation

from lanekeeper.mainline import text
from lanekeeper.mainline.client import Caller
from lanekeeper.mainline.decisions import Decisions, Judges
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.questions import Answer, Question


class MainlineDecisionModel(BaseDecisionModel):
    """Typed questions for one caller, through the one client. Made anew for each turn.

    Raises ``MainlineError`` when no answer came in time or a question was refused, ``ValueError`` for a kind of
    question that the endpoint does not know. It never retries. Pictures in the state are sent as text.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    decisions: SkipValidation[Decisions] = Field(exclude=True, repr=False)
    judges: SkipValidation[Judges] = Field(exclude=True, repr=False)
    caller: SkipValidation[Caller] = Field(exclude=True, repr=False)
    timeout_s: float = 1.5

    @property
    def _provider(self) -> str:
        return "mainline"

    def _classify(self, state: Any, questions: dict[str, GivenQuestion]) -> ClassifierResponse:
        # LangChain asks for it. The client belongs to one event loop, which a call from outside would have to block.
        raise NotImplementedError("models are called from async code only")

    async def _aclassify(self, state: Any, questions: dict[str, GivenQuestion]) -> ClassifierResponse:
        asked = [_asked(name, question) for name, question in questions.items()]
        answers, _ = await self.decisions.ask(_evidence(state), asked, self.judges, self.caller, self.timeout_s)
        if answers.keys() != questions.keys():
            raise MainlineError("refused", retryable=False, reason="question_refused")
        given = {name: _given(question, answers[name]) for name, question in questions.items()}
        return ClassifierResponse(model=self.model, answers=given)


def _evidence(state: Any) -> str:
    return state if isinstance(state, str) else text.dumps(_plain(state))


def _plain(state: Any) -> Any:
    if isinstance(state, BaseMessage):
        return {"role": state.type, "content": state.content, **_calls(state)}
    if isinstance(state, Mapping):
        return {str(name): _plain(value) for name, value in state.items()}
    if isinstance(state, Sequence) and not isinstance(state, str):
        return [_plain(value) for value in state]
    return state


def _calls(message: BaseMessage) -> dict[str, Any]:
    calls = getattr(message, "tool_calls", None)
    return {"tool_calls": calls} if calls else {}


def _asked(name: str, question: GivenQuestion) -> Question:
    instructions = _words(question.instructions)
    if isinstance(question, Noul):
        meant = question.criteria
        outcomes = {"Yes": meant.true, "No": meant.false} if meant else {}
        told = [f"{outcome} means: {_words(value)}." for outcome, value in outcomes.items() if value is not None]
        return Question(name=name, kind="predicate", instructions=" ".join([instructions, *told]))
    if isinstance(question, Choice):
        options = tuple((label, _words(meaning)) for label, meaning in question.criteria.items())
        return Question(name=name, kind="choice", instructions=instructions, options=options)
    if isinstance(question, Score):
        levels = tuple((str(number), _words(level)) for number, level in enumerate(question.criteria))
        return Question(name=name, kind="score", instructions=instructions, options=levels)
    raise ValueError(f"{name} asks for a place in a picture, which the endpoint does not tell")


def _given(question: GivenQuestion, answer: Answer) -> GivenAnswer:
    if isinstance(question, Choice):
        chosen = str(answer.value)
        shares = {str(share["value"]): float(share["probability"]) for share in answer.shares} or {
            chosen: answer.confidence
        }
        return ChoiceAnswer(type="choice", choice=chosen, probabilities=shares, confidence=answer.confidence)
    if isinstance(question, Score):
        legend = dict(enumerate(question.criteria))
        levels = {int(share["value"]): float(share["probability"]) for share in answer.shares}
        return ScoreAnswer(
            type="score",
            score=float(answer.value),
            legend=legend,
            probabilities=levels,
            confidence=answer.confidence,
        )
    return NoulAnswer(type="noul", noul=float(answer.value))


def _words(value: Any) -> str:
    return value if isinstance(value, str) else text.dumps(value)
