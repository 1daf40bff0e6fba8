"""A forgotten fact taken out of what a model is sent again: rows stay valid, their words go (W4). Pure.

It works on the rows as they are kept, so that whoever has no chain of models at hand can do it as well.
"""

from collections.abc import Sequence
from typing import Any, get_args

from lanekeeper.mainline.text import dumps
from lanekeeper.memory.rules import Kind
from lanekeeper.memory.telling import Telling
from lanekeeper.types import Json

FORGOTTEN = "(Forgotten, as the person asked.)"
"""Stands for the words of a message."""
BLANK = "(forgotten)"
"""Stands for an argument or a value."""
_KINDS = frozenset(get_args(Kind))


def state(facts: Sequence[Telling], text: str) -> bool:
    """Whether a text gives one of the facts away."""
    return any(fact.is_in(text) for fact in facts)


def without(facts: Sequence[Telling], text: str) -> str:
    """A text without the sentences that give one of the facts away."""
    for fact in facts:
        text = fact.without(text)
    return text


def masked(row: Json, facts: Sequence[Telling], *, whole: bool = False) -> Json | None:
    """A row of a thread without the facts, or None when it gives none of them away.

    Ids, calls, the order of results and the kind of each message stay, so the history stays one that providers take.

    Args:
        row: the message, as ``thread_messages`` keeps it.
        facts: what is forgotten.
        whole: the message is known to state one of them, whatever its words look like.
    """
    clean = dict(row)
    if whole or state(facts, text_of(row["content"])):
        clean["content"] = FORGOTTEN
    for name in ("tool_calls", "invalid_tool_calls"):
        if name in row:
            clean[name] = [_masked_call(call, facts) for call in row[name]]
    if "extra" in row and (clean != row or state(facts, _strings(row["extra"]))):
        # Thoughts are signed: they are sent as they were, or not at all. What was counted stays.
        clean["extra"] = {name: value for name, value in row["extra"].items() if _counts(value)}
    if "artifact" in row and (whole or clean["content"] != row["content"] or state(facts, _strings(row["artifact"]))):
        clean["artifact"] = {name: value for name, value in row["artifact"].items() if isinstance(value, bool)}
    return clean if clean != row else None


def text_of(content: Any) -> str:
    """The words of a message's content, which is text or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)


def _masked_call(call: Json, facts: Sequence[Telling]) -> Json:
    args = call["args"]
    if isinstance(args, str):
        return call | {"args": BLANK} if state(facts, args) else call
    return call | {"args": _blank(args, facts)} if state(facts, _strings(args)) else call


def _blank(value: Any, facts: Sequence[Telling]) -> Any:
    """The same without what somebody has written: the kind of a note is one of few words, and stays one of them."""
    if isinstance(value, dict):
        return {name: _blank(one, facts) for name, one in value.items()}
    if isinstance(value, list):
        return [_blank(one, facts) for one in value]
    if isinstance(value, str) and value in _KINDS and not state(facts, value):
        return value
    return value if value is None or isinstance(value, bool) else BLANK


def _counts(value: Any) -> bool:
    """Whether a value is figures and nothing else."""
    return isinstance(value, int | float) or (isinstance(value, dict) and all(map(_counts, value.values())))


def _strings(value: Any) -> str:
    """All that a JSON value says, one thing a line, and the sign that ends a line where one stands in it."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_strings(one)}" for name, one in value.items())
    if isinstance(value, list):
        return "\n".join(map(_strings, value))
    return value if isinstance(value, str) else dumps(value)
