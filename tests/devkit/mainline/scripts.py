"""What a test has queued: the replies and verdicts that the next calls take instead of the demo model's."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from tests.devkit.mainline.errors import invalid

ERRORS = (429, 500, 503, "timeout", "cut")

Scripted = TypeVar("Scripted")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a reply. Arguments given as text go out as they are, valid JSON or not."""

    name: str
    args: dict[str, Any] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One reply of the model.

    Args:
        text: what it says; comes before the calls.
        refusal: what it says instead of a text when it will not answer, sent as ``refusal``; comes after the text.
        reasoning: what it thinks first, sent as ``reasoning_content``.
        calls: the tools it calls.
        error: 429, 500 and 503 answer with that status. ``cut`` breaks the connection after half of the text (or of a
            text made up for it), ``timeout`` falls silent there (at once when there is no text).
        delay_s: real seconds before the first token.
        token_delay_ms: real milliseconds between tokens.
        finish_reason: instead of ``tool_calls`` or ``stop``.
        usage: put over the counted usage. Of several, a stream sends each beside a token, as running totals, and the
            last one at the end; none at all leaves the usage out. A test writes one, a list, or ``{}`` for none.
    """

    text: str = ""
    refusal: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    error: int | str | None = None
    delay_s: float = 0.0
    token_delay_ms: float = 0.0
    finish_reason: str | None = None
    usage: tuple[dict[str, Any], ...] | None = None

    @classmethod
    def parse(cls, value: Any) -> "Script":
        """A reply as a test writes it.

        Raises:
            ApiError: 400 for a field that is unknown or of the wrong kind.
        """
        given = _known(value, cls)
        calls, usage = given.pop("calls", []), given.pop("usage", None)
        if not isinstance(calls, list):
            raise invalid("calls is a list of {name, args}", "calls")
        return cls(calls=tuple(_call(call) for call in calls), usage=_usage(usage), **_typed(given))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answers to one classifier call: a probability, a choice or a score by the question's name."""

    answers: dict[str, Any] = field(default_factory=dict)
    delay_s: float = 0.0
    error: int | str | None = None

    @classmethod
    def parse(cls, value: Any) -> "Verdict":
        """Verdicts as a test writes them.

        Raises:
            ApiError: 400 for a field that is unknown or of the wrong kind.
        """
        given = _known(value, cls)
        if not isinstance(given.get("answers", {}), dict):
            raise invalid("answers is an object of question: probability or choice", "answers")
        return cls(**_typed(given))


class Queues(Generic[Scripted]):
    """First in, first out, for each feature; a person's own queue is served before everybody's."""

    def __init__(self) -> None:
        self._queues: dict[tuple[str, str | None], deque[Scripted]] = {}

    def put(self, items: list[Scripted], feature: str, user: str | None) -> int:
        """Queue at the end; no items at all clears that one queue. Returns how many wait in it now."""
        if not items:
            self._queues.pop((feature, user), None)
            return 0
        queue = self._queues.setdefault((feature, user), deque())
        queue.extend(items)
        return len(queue)

    def take(self, feature: str, user: str | None) -> Scripted | None:
        """The next item for a call of this person, or None."""
        for owner in (user, None):
            queue = self._queues.get((feature, owner))
            if queue:
                return queue.popleft()
        return None

    def waiting(self) -> list[dict[str, Any]]:
        """Every queue that holds something, and how much."""
        return [{"sub": user, "feature": name, "waiting": len(q)} for (name, user), q in self._queues.items() if q]

    def clear(self) -> None:
        """Empty every queue."""
        self._queues.clear()


def _known(value: Any, shape: Callable[..., Any]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise invalid("a scripted reply is an object")
    names = {part.name for part in fields(shape)}  # type: ignore[arg-type]
    unknown = sorted(set(value) - names)
    if unknown:
        raise invalid(f"unknown: {', '.join(unknown)}; known: {', '.join(sorted(names))}", unknown[0])
    return {name: part for name, part in value.items() if part is not None}


_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "refusal": (str,),
    "reasoning": (str,),
    "delay_s": (int, float),
    "token_delay_ms": (int, float),
    "finish_reason": (str,),
}


def _typed(given: dict[str, Any]) -> dict[str, Any]:
    for name, part in given.items():
        if name in _TYPES and not isinstance(part, _TYPES[name]):
            raise invalid(f"{name} is of the wrong kind", name)
    if given.get("error") not in (None, *ERRORS):
        raise invalid("error is one of 429, 500, 503, timeout, cut", "error")
    return given


def _usage(value: Any) -> tuple[dict[str, Any], ...] | None:
    if value is None:
        return None
    totals = value if isinstance(value, list) else [value] if value else []
    if not all(isinstance(total, dict) for total in totals):
        raise invalid("usage is an object, or a list of them", "usage")
    return tuple(totals)


def _call(value: Any) -> Call:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise invalid("a call is {name, args}", "calls")
    args = value.get("args", {})
    if not isinstance(args, dict | str):
        raise invalid("args is an object, or the text to send instead", "calls")
    return Call(value["name"], args)
