"""Asking for an answer in a given shape, for jobs that work on with it (N1). Needs no LangChain."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from lanekeeper.mainline import text
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.reply import Ending, ToolCall
from lanekeeper.mainline.shape import MisfitError, Shape, correction
from lanekeeper.types import Json

T = TypeVar("T", bound=BaseModel)

Act = Callable[[Sequence[ToolCall]], Awaitable[list[Json]]]
"""Runs tool calls and gives a ``tool`` message for each."""


@dataclass(frozen=True, slots=True)
class Structured(Generic[T]):
    """An answer of its shape, and the assistant's message as it came."""

    value: T
    raw: Json


async def ask_structured(
    mainline: Mainline,
    model: Model,
    messages: Sequence[Json],
    schema: type[T],
    caller: Caller,
    *,
    tools: Sequence[Json] = (),
    act: Act | None = None,
    steps: int = 1,
    **options: Any,
) -> Structured[T]:
    """One answer of that shape. One that does not fit is told why and may be corrected once.

    Args:
        mainline: the client.
        model: which model; its catalogue entry tells how it is asked.
        messages: the request's messages.
        schema: the shape.
        caller: on whose behalf; every call is on their books.
        tools: definitions of tools that may be called before the answer is given.
        act: runs them.
        steps: model calls before the answer must have been given, the correction not counted.
        options: more of ``chat_body``, such as ``max_tokens``.

    Raises:
        MainlineError: no whole answer came.
        MisfitError: there is none of that shape, corrected or not.
        ValueError: the schema contains itself.
    """
    shape = Shape(schema, model)
    asked = list(messages)
    may_correct = True
    while True:
        said, ending = await whole_answer(
            mainline, model, chat_body(asked, **shape.options(tools if act else ()), **options), caller
        )
        raw = as_message(said, ending.calls)
        others = shape.others(ending.calls)
        if act and others and len(others) == len(ending.calls):
            steps -= 1
            if steps < 1:
                raise MisfitError("Tools were called until no step was left for the answer.")
            asked += [raw, *await act(others)]
            continue
        try:
            return Structured(shape.read(said, ending.calls), raw)
        except MisfitError as misfit:
            if not may_correct:
                raise
            may_correct = False
            asked += told(raw, correction(misfit.reason))


async def whole_answer(mainline: Mainline, model: Model, body: Json, caller: Caller) -> tuple[str, Ending]:
    """What a model says to a request, all at once.

    Raises:
        MainlineError: no whole answer came.
    """
    said: list[str] = []
    async with aclosing(mainline.chat(model, body, caller)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Ending):
                return "".join(said), piece
            said.append(piece.text)
    raise AssertionError("a stream without an ending raises")


def as_message(said: str, calls: Sequence[ToolCall]) -> Json:
    """An answer as the assistant's message that a further request holds."""
    message: Json = {"role": "assistant", "content": said or None}
    if calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
            for call in calls
        ]
    return message


def _arguments(call: ToolCall) -> str:
    return text.dumps(call.arguments if call.arguments is not None else {"unreadable": call.raw})


def told(raw: Json, words: str) -> list[Json]:
    """An answer and what is to be said about it, as a history that every provider takes."""
    if calls := raw.get("tool_calls"):
        return [raw, *({"role": "tool", "tool_call_id": call["id"], "content": words} for call in calls)]
    return [*([raw] if raw["content"] else []), {"role": "user", "content": words}]
