"""The answers about one message, and what they mean at the thresholds in force. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from lanekeeper.decisions.questions import THRESHOLDS
from lanekeeper.mainline.questions import Answer, Answers
from lanekeeper.types import Json

# Who judged: the decision endpoint, a chat model in its place, or word lists because neither answered in time.
Source = Literal["gateway", "chat", "words"]
MemorySearch = Literal["none", "full", "strong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What was judged of a message. An unanswered question counts as no.

    Attributes:
        source: who judged.
        answers: the answers with their scores.
        took_ms: milliseconds from asking to knowing.
        thresholds: from where on an answer counts, by question.
    """

    source: Source
    answers: Answers = field(default_factory=dict)
    took_ms: float = 0
    thresholds: Mapping[str, float] = field(default_factory=lambda: THRESHOLDS)

    def score(self, question: str) -> float:
        """The probability that a yes-or-no question was answered with; 0 when it was not."""
        answer = self.answers.get(question)
        return answer.value if answer and isinstance(answer.value, float) else 0.0

    def over(self, question: str) -> bool:
        """Whether a yes-or-no question is to be taken as answered with yes."""
        return self.score(question) >= self.thresholds[question]

    @property
    def language(self) -> str | None:
        """The ISO 639-1 code of the language the person writes in; None when it is not known well enough."""
        chosen = self._chosen("language")
        return None if chosen == "other" else chosen

    @property
    def hard(self) -> bool:
        """Whether the message is a case for the larger model (A2)."""
        return self._chosen("difficulty") == "hard"

    @property
    def memory_search(self) -> MemorySearch:
        """Whether memory is searched: ``full``, ``none``, or ``strong`` matches only, where every search word is found.

        Word lists cannot tell whether a message leans on earlier talk, so then it is searched in any case (D2).
        """
        if self.source == "words":
            return "strong"
        return "full" if self.over("refers_to_earlier") else "none"

    def joined(self, later: "Verdicts") -> "Verdicts":
        """The verdicts on a message and on one that joined it: the surer yes of both, the language of the later."""
        answers = dict(self.answers)
        for name, answer in later.answers.items():
            if name == "difficulty":
                keeps = self.hard
            else:
                keeps = isinstance(answer.value, float) and self.score(name) >= answer.value
            if not (keeps and name in answers):
                answers[name] = answer
        source: Source = "words" if "words" in (self.source, later.source) else later.source
        return replace(self, source=source, answers=answers, took_ms=self.took_ms + later.took_ms)

    def as_json(self) -> Json:
        """The scores as they are kept: a number for a yes-or-no question, ``[choice, confidence]`` for a choice."""
        return {
            name: round(answer.value, 4) if isinstance(answer.value, float) else [answer.value, answer.confidence]
            for name, answer in self.answers.items()
        }

    @classmethod
    def from_json(
        cls, source: Source, scores: Json, took_ms: float, thresholds: Mapping[str, float] = THRESHOLDS
    ) -> "Verdicts":
        """The verdicts that were kept."""
        answers = {
            name: Answer(str(kept[0]), float(kept[1])) if isinstance(kept, list) else Answer(float(kept))
            for name, kept in scores.items()
        }
        return cls(source=source, answers=answers, took_ms=took_ms, thresholds=thresholds)

    def _chosen(self, question: str) -> str | None:
        answer = self.answers.get(question)
        if answer is None or not isinstance(answer.value, str) or answer.confidence < self.thresholds[question]:
            return None
        return answer.value
