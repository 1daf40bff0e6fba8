"""The shape of an answer: a pydantic model, how a provider is asked for it, and how an answer is read (N1)."""

import re
from collections.abc import Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from lanekeeper.mainline import text
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.reply import ToolCall
from lanekeeper.mainline.schema import in_words, strict_schema
from lanekeeper.types import Json

T = TypeVar("T", bound=BaseModel)

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?```\s*", re.DOTALL)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


class MisfitError(Exception):
    """An answer that is not of its shape. ``reason`` says how, in words that quote nothing."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the answer does not fit: {reason}")
        self.reason = reason


class Shape(Generic[T]):
    """What an answer must look like.

    Where the catalogue says ``json_schema``, it is the model's text. Any other model is made to call a tool whose
    arguments it is.

    Args:
        schema: the pydantic model; its docstring tells the model what the answer is for.
        model: which model is asked.

    Raises:
        ValueError: the schema contains itself.
    """

    def __init__(self, schema: type[T], model: Model) -> None:
        self._schema = schema
        self._as_text = model.answers == "json_schema"
        self._parameters = strict_schema(schema)
        self.name = _NOT_IN_NAMES.sub("_", schema.__name__)[:64]

    def options(self, tools: Sequence[Json] = ()) -> Json:
        """The fields of a request that ask for it, beside other tools that may be called first."""
        if self._as_text:
            written = {"name": self.name, "strict": True, "schema": self._parameters}
            asked: Json = {"response_format": {"type": "json_schema", "json_schema": written}}
            return asked | ({"tools": list(tools)} if tools else {})
        choice = "required" if tools else {"type": "function", "function": {"name": self.name}}
        return {"tools": [*tools, self._tool()], "tool_choice": choice}

    def others(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        """The calls of an answer that are not the answer itself."""
        return [call for call in calls if self._as_text or call.name != self.name]

    def read(self, said: str, calls: Sequence[ToolCall]) -> T:
        """The answer that a text, or the arguments of a call, holds.

        Raises:
            MisfitError: it is none of this shape.
        """
        call = next((call for call in calls if call.name == self.name), None)
        try:
            if call is None:
                return self._schema.model_validate_json(_unfenced(said))
            if call.arguments is None:
                raise MisfitError("The arguments are no complete JSON object.")
            # By JSON's rules, where a date is a string of the right form.
            return self._schema.model_validate_json(text.dumps(call.arguments))
        except ValidationError as error:
            if call is None and not self._as_text:
                raise MisfitError(f"The answer is a call of the tool {self.name}, and there was none.") from None
            raise MisfitError(in_words(error)) from None

    def _tool(self) -> Json:
        told = (self._schema.__doc__ or "").strip() or "The answer."
        function = {"name": self.name, "description": told, "parameters": self._parameters, "strict": True}
        return {"type": "function", "function": function}


def correction(reason: str) -> str:
    """What a model is told whose answer did not fit."""
    return f"This does not fit what was asked for. {reason} Give the whole answer again, corrected."


def _unfenced(said: str) -> str:
    fenced = _FENCED.fullmatch(said)
    return fenced[1] if fenced else said
