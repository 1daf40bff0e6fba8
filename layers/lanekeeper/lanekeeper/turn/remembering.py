"""What a turn's tools keep and forget, written in the transaction that records their results (W2, W4)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from lanekeeper.decisions import words
from lanekeeper.limits import Limits
from lanekeeper.mainline.text import dumps
from lanekeeper.memory.asking import asks_to_keep
from lanekeeper.memory.forgetting import begin, forget
from lanekeeper.memory.grounding import is_grounded
from lanekeeper.memory.refusals import Refusal
from lanekeeper.memory.rules import Note
from lanekeeper.memory.store import save
from lanekeeper.memory.words import units
from lanekeeper.postgres import Transaction
from lanekeeper.tools import NoteKind, ToolFailure
from lanekeeper.tools.outcome import failed
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.recalling import Recalling
from lanekeeper.turn.said import text_of

# Refusals that another wording can heal.
MENDABLE = frozenset({Refusal.UNGROUNDED, Refusal.OTHERS, Refusal.EMPTY})
MEND = "Leave that part out or say it in the person's own words, and call once more; otherwise say that it is not kept."
LEAVE = "Do not try it in other words. Say in a sentence that this is not kept, and why."
ONE_AT_A_TIME = "Say that you forget one thing at a time, and ask which; their list of what is remembered shows all."
REPLACED = (
    "It is kept, in the place of what `replaced` says. Where something else stood there that still holds, keep that as "
    "well, by one more call under a subject of its own. Then say in a few words that it is kept."
)
ASK_FIRST = "Say that it is not kept unless they ask for just that, and leave it to them."


@dataclass(frozen=True, slots=True)
class Remember:
    """A fact to be kept."""

    kind: NoteKind
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Forget:
    """A subject to be forgotten."""

    subject: str


class Remembering:
    """The memory of one turn's tools: what they asked for is done when their results are recorded.

    A worker that dies in between has changed nothing: the call is made again by the next one.

    Args:
        turn: the turn.
        recalling: what the model is told of memory in this turn, which must not contradict what was just put right.
        limits: how much is kept.
    """

    def __init__(self, turn: Turn, recalling: Recalling, limits: Limits) -> None:
        self._turn = turn
        self._recalling = recalling
        self._limits = limits
        self._wishes: dict[str, Remember | Forget] = {}
        self.forgot = False

    async def remember(self, call_id: str, kind: NoteKind, subject: str, body: str) -> None:
        """Keep a fact, when the call's result is recorded."""
        self._wishes[call_id] = Remember(kind, subject, body)

    async def forget(self, call_id: str, subject: str) -> None:
        """Forget a subject, when the call's result is recorded."""
        self._wishes[call_id] = Forget(subject)

    async def write(self, transaction: Transaction, results: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Do what these results say was done; the results, with a failure in the place of each that could not be."""
        if any(isinstance(self._wishes.get(getattr(one, "tool_call_id", "")), Forget) for one in results):
            begin(transaction, self._turn.hold.user_id)
        return [
            await self._done(transaction, result) if isinstance(result, ToolMessage) else result for result in results
        ]

    async def _done(self, transaction: Transaction, result: ToolMessage) -> ToolMessage:
        wish = self._wishes.get(result.tool_call_id)
        if wish is None or result.status != "success":
            return result
        try:
            if isinstance(wish, Remember):
                return _with(await self._keep(transaction, wish), result)
            await self._drop(transaction, wish)
        except ToolFailure as failure:
            return failed(result.tool_call_id, result.name or "", failure, self._limits).message()
        return result

    async def _keep(self, transaction: Transaction, wish: Remember) -> str:
        source = self._source(wish.body)
        if source is None:
            raise ToolFailure(Refusal.UNGROUNDED.value, LEAVE)
        said = source.text
        note = Note(
            kind=wish.kind,
            subject=wish.subject,
            body=wish.body,
            source="stated",
            source_message_id=source.id or "",
            language=words.language_of(f"{wish.body}\n{said}") or "en",
        )
        asked = asks_to_keep(text_of(self._turn.thread.of_turn(self._turn.id)))
        saved = await save(transaction, self._turn.hold.user_id, note, said, self._limits, health_asked=asked)
        if (why := saved.refused) is not None:
            next_step = MEND if why in MENDABLE else ASK_FIRST if why is Refusal.HEALTH else LEAVE
            raise ToolFailure(why.value, next_step, retryable=why in MENDABLE)
        self._recalling.leave_out(wish.subject)
        return saved.replaced

    async def _drop(self, transaction: Transaction, wish: Forget) -> None:
        gone = await forget(transaction, self._turn.hold.user_id, wish.subject, self._limits)
        if gone.ambiguous:
            named = "; ".join(gone.subjects)
            raise ToolFailure(
                f"It is not clear which of what is kept is meant, so nothing is forgotten: {named}.",
                "Call again with its subject as it stands here where it is what they mean; else ask.",
                retryable=True,
            )
        if not gone.anything and all(unit.is_small for unit in units(wish.subject)):
            raise ToolFailure("That is no single subject, so nothing is forgotten.", ONE_AT_A_TIME)
        if not gone.anything:
            raise ToolFailure("Nothing is kept about that.", "Say so in a few words.")
        self.forgot = True
        self._recalling.keep_silent()

    def _source(self, body: str) -> HumanMessage | None:
        """The person's newest message that says it, of this turn or before; else their newest one in this turn."""
        own = [one for one in self._turn.thread.messages if isinstance(one, HumanMessage)]
        says = (one for one in reversed(own) if is_grounded("stated", body, one.text))
        return next(says, own[-1] if own else None)


def _with(replaced: str, result: ToolMessage) -> ToolMessage:
    """The result of a fact that is kept, telling what it took the place of, so that nothing else of that is lost."""
    if not replaced:
        return result
    told = json.loads(result.text) | {"next": REPLACED, "replaced": replaced}
    return result.model_copy(update={"content": dumps(told)})
