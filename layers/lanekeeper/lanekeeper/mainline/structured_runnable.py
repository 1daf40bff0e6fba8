"""A LangChain model that answers in a shape, for code that is written against LangChain."""

from typing import Any, TypeVar

from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from pydantic import BaseModel

from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.messages import tool_calls
from lanekeeper.mainline.shape import MisfitError, Shape, correction

T = TypeVar("T", bound=BaseModel)


def structured(
    chat: BaseChatModel, model: Model, schema: type[T], *, include_raw: bool
) -> Runnable[LanguageModelInput, Any]:
    """The chat model, asked for this shape and corrected once; with ``include_raw`` in LangChain's form of it.

    Args:
        chat: the model.
        model: its catalogue entry.
        schema: the shape.
        include_raw: whether the message itself is wanted beside the answer.
    """
    shape = Shape(schema, model)
    asked = chat.bind(**shape.options())

    async def answer(given: LanguageModelInput, config: RunnableConfig) -> Any:
        messages = _messages(given)
        raw = await asked.ainvoke(messages, config)
        try:
            return _told(raw, _read(shape, raw), include_raw)
        except MisfitError as misfit:
            raw = await asked.ainvoke([*messages, *_corrected(raw, misfit)], config)
        try:
            return _told(raw, _read(shape, raw), include_raw)
        except MisfitError as misfit:
            if include_raw:
                return {"raw": raw, "parsed": None, "parsing_error": misfit}
            raise

    return RunnableLambda(answer, name=shape.name)


def _read(shape: Shape[T], raw: AIMessage) -> T:
    return shape.read(raw.text, tool_calls(raw))


def _told(raw: AIMessage, parsed: T, include_raw: bool) -> Any:
    return {"raw": raw, "parsed": parsed, "parsing_error": None} if include_raw else parsed


def _corrected(raw: AIMessage, misfit: MisfitError) -> list[BaseMessage]:
    words = correction(misfit.reason)
    if calls := tool_calls(raw):
        return [raw, *(ToolMessage(words, tool_call_id=call.id, name=call.name, status="error") for call in calls)]
    return [raw, HumanMessage(words)]


def _messages(given: LanguageModelInput) -> list[BaseMessage]:
    if isinstance(given, PromptValue):
        return given.to_messages()
    if isinstance(given, str):
        return [HumanMessage(given)]
    return convert_to_messages(list(given))
