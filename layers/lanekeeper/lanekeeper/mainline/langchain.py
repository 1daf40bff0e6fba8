"""LangChain's chat model on top of the client, for the graph."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import InputTokenDetails, OutputTokenDetails, UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field, SkipValidation

from lanekeeper.ledger.rules import Usage
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.messages import REASONING, THINKING_BLOCKS, call_chunk, to_wire
from lanekeeper.mainline.reply import Delta, Ending
from lanekeeper.mainline.structured_runnable import structured
from lanekeeper.types import Json

# A model called inside a step streams under that step's name. Its tag tells it from the one whose words are the reply.
HELPER_TAG = "lanekeeper:helper"


class MainlineChatModel(BaseChatModel):
    """One model for one caller. Made anew for each turn: it holds nothing but what it is given.

    A reply streams as chunks of text (reasoning in ``additional_kwargs["reasoning_content"]``). The last chunk alone
    carries the tool calls, ``usage_metadata``, and ``response_metadata`` with ``finish_reason`` and ``model_name``,
    the public id. Unreadable tool calls come as ``invalid_tool_calls``.

    Raises ``MainlineError`` when a reply is not whole. It never retries.
    """

    mainline: SkipValidation[Mainline] = Field(exclude=True, repr=False)
    caller: SkipValidation[Caller] = Field(exclude=True, repr=False)
    model: SkipValidation[Model]
    max_tokens: int | None = None
    temperature: float | None = None

    @classmethod
    def helper(cls, mainline: Mainline, model: Model, caller: Caller, **options: Any) -> "MainlineChatModel":
        """A model whose words are not the reply, such as one that summarises: tagged, so that they are not shown."""
        return cls(mainline=mainline, model=model, caller=caller, tags=[HELPER_TAG], **options)

    @property
    def _llm_type(self) -> str:
        return "mainline"

    @property
    def _identifying_params(self) -> Json:
        return {"model_name": self.model.id}

    def body(self, messages: Sequence[BaseMessage], *, stop: list[str] | None = None, **options: Any) -> Json:
        """The exact request for these messages, but for the fields that name the model and the streaming."""
        given = {"max_tokens": self.max_tokens, "temperature": self.temperature} | options
        return chat_body(to_wire(messages), stop=stop, **given)

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | Json | None = None,
        **options: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """This model with tools to choose from.

        Definitions in OpenAI's format are sent byte for byte as they are. Anything else is converted, strictly.

        Args:
            tools: in the order in which they are sent.
            tool_choice: None (the model decides), "none", "any" or "required", or the name of one tool.
            options: more fields of the request.
        """
        # LangChain's structured output passes a description of itself for its own tracing.
        options.pop("ls_structured_output_format", None)
        definitions = [_definition(tool) for tool in tools]
        return self.bind(tools=definitions, tool_choice=_choice(tool_choice), **options)

    def with_structured_output(
        self, schema: Json | type, *, include_raw: bool = False, **options: Any
    ) -> Runnable[LanguageModelInput, Any]:
        """This model, answering in a shape: the answer, or ``{"raw", "parsed", "parsing_error"}``.

        For a pydantic model the catalogue decides how it is asked for, and one that does not fit is corrected once.
        Anything else is LangChain's own, by a tool call.

        Raises:
            MisfitError: the answer did not fit, corrected or not. Only from the returned model, and not with
                ``include_raw``.
        """
        if isinstance(schema, type) and issubclass(schema, BaseModel) and not options:
            return structured(self, self.model, schema, include_raw=include_raw)
        return super().with_structured_output(schema, include_raw=include_raw, **options)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        options.pop("stream", None)
        body = self.body(messages, stop=stop, **options)
        async with aclosing(self.mainline.chat(self.model, body, self.caller)) as parts:
            async for part in parts:
                chunk = _piece(part) if isinstance(part, Delta) else self._last(part)
                yield ChatGenerationChunk(message=chunk)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        # Streamed all the same: only a stream shows in time that a provider has gone silent.
        pieces = [piece async for piece in self._astream(messages, stop, **options)]
        chunk = pieces[0].message
        assert isinstance(chunk, AIMessageChunk)
        whole = chunk + [piece.message for piece in pieces[1:]]
        fields = whole.model_dump(exclude={"type", "tool_call_chunks", "chunk_position"})
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**fields))])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        # LangChain asks for it. The client belongs to one event loop, which a call from outside would have to block.
        raise NotImplementedError("models are called from async code only")

    def _last(self, ending: Ending) -> AIMessageChunk:
        blocks = {THINKING_BLOCKS: list(ending.thinking_blocks)} if ending.thinking_blocks else {}
        return AIMessageChunk(
            content="",
            additional_kwargs=blocks,
            tool_call_chunks=[call_chunk(call, index) for index, call in enumerate(ending.calls)],
            usage_metadata=_usage_metadata(ending.usage),
            response_metadata={"finish_reason": ending.finish_reason, "model_name": self.model.id},
            chunk_position="last",
        )


def _piece(delta: Delta) -> AIMessageChunk:
    reasoning = {REASONING: delta.reasoning} if delta.reasoning else {}
    return AIMessageChunk(content=delta.text, additional_kwargs=reasoning)


def _usage_metadata(usage: Usage) -> UsageMetadata:
    return UsageMetadata(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
        input_token_details=InputTokenDetails(cache_read=usage.cached_tokens),
        output_token_details=OutputTokenDetails(reasoning=usage.reasoning_tokens),
    )


def _definition(tool: dict[str, Any] | type | Callable[..., Any] | BaseTool) -> Json:
    if isinstance(tool, dict) and tool.get("type") == "function":
        return tool
    return convert_to_openai_tool(tool, strict=True)


def _choice(choice: str | Json | None) -> str | Json | None:
    if choice == "any":
        return "required"
    if choice is None or isinstance(choice, dict) or choice in {"auto", "none", "required"}:
        return choice
    return {"type": "function", "function": {"name": choice}}
