"""Which model answers a turn: the one that was chosen, else the small one, or the large one for a named hard case (A2).

A provider's cache belongs to one model, so every switch costs the reading of what the other model has not seen. The
model is therefore decided once a turn, just before its first call, and by nothing but the person's choice, the cases
named here, and the setting: the same conversation goes to the same model, turn after turn. A hard case takes its own
turn to the large model and the next turn goes back; staying there would be dearer
(docs/decisions/2026-11-30-a-hard-turn-comes-back.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage, HumanMessage

from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import Catalogue, Model
from lanekeeper.turn.attempts import ended_in_failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What can be seen of a turn before a model is asked.

    Attributes:
        judged_hard: the fast decisions found it difficult.
        text_chars: how much the person wrote in it.
        with_files: whether an image or a file came with it.
        failed_before: whether the turn before it ended with a line that says it did not work: this is another try.
    """

    judged_hard: bool = False
    text_chars: int = 0
    with_files: bool = False
    failed_before: bool = False

    @classmethod
    def of(cls, messages: Sequence[AnyMessage], added: int, *, judged_hard: bool = False) -> "Signs":
        """The signs of a conversation to whose end this turn has added so many messages.

        What joined the turn after its first answer is no sign: a turn that is taken up again goes where it went.
        """
        begin = len(messages) - added
        asked = []
        for message in messages[begin:]:
            if not isinstance(message, HumanMessage):
                break
            asked.append(message)
        return cls(
            judged_hard=judged_hard,
            text_chars=sum(len(message.text) for message in asked),
            with_files=any(not _only_words(message) for message in asked),
            failed_before=ended_in_failure(messages[:begin]),
        )


# The hard cases. What is none of them is the small model's.
HARD_CASES: Mapping[str, Callable[[Signs, Limits], bool]] = {
    "difficult": lambda signs, limits: signs.judged_hard,
    "long_text": lambda signs, limits: signs.text_chars > limits.hard_text_chars,
    "files": lambda signs, limits: signs.with_files,
    "second_try": lambda signs, limits: signs.failed_before,
}


@dataclass(frozen=True, slots=True)
class Route:
    """The model of a turn, and the name of the hard case that made it so, or empty."""

    model: Model
    case: str = ""


def route(catalogue: Catalogue, chosen: str | None, signs: Signs, limits: Limits) -> Route:
    """The way of a turn.

    Args:
        catalogue: the models, from the setting (B10).
        chosen: the public id that the message names, else the one its conversation was switched to (L2).
        signs: what can be seen of the turn.
        limits: from where on a text is long.
    """
    if chosen and (model := catalogue.find(chosen)):
        return Route(model)
    case = next((name for name, is_one in HARD_CASES.items() if is_one(signs, limits)), "")
    return Route(catalogue.choose(hard=bool(case)), case)


def _only_words(message: HumanMessage) -> bool:
    return isinstance(message.content, str) or all(
        isinstance(part, str) or part.get("type") == "text" for part in message.content
    )
