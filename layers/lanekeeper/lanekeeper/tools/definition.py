"""A tool as a model is told of it: OpenAI's function format, strict, the same bytes at every start."""

from typing import Any

from pydantic import BaseModel

from lanekeeper.mainline.text import dumps
from lanekeeper.tools.tool import AnyTool
from lanekeeper.types import Json

# Not part of strict schemas, or of no use to a model. The input model still enforces its lengths.
_LEFT_OUT = {"title", "default", "minLength", "maxLength", "examples"}


def definition(tool: AnyTool) -> Json:
    """The definition of one tool."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": _description(tool),
            "parameters": parameters(tool.input),
            "strict": True,
        },
    }


def parameters(model: type[BaseModel]) -> Json:
    """The strict JSON schema of an input model: every field required, nothing else allowed, references resolved."""
    schema = model.model_json_schema()
    strict: Json = _strict(schema, schema.get("$defs", {}))
    # The model's own docstring speaks to us.
    strict.pop("description", None)
    return strict


def _description(tool: AnyTool) -> str:
    examples = (f'- "{one.phrase}" -> {dumps(one.arguments.model_dump(mode="json"))}' for one in tool.examples)
    return "\n".join([tool.description.strip(), *(["Examples:", *examples] if tool.examples else [])])


def _strict(schema: Any, defs: Json) -> Any:
    if isinstance(schema, list):
        return [_strict(item, defs) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _strict(defs[reference.rpartition("/")[2]] | beside, defs)
    # In an order of our own, so that it does not hang on a library's version.
    kept = sorted(schema.keys() - _LEFT_OUT - {"$defs", "properties", "required", "additionalProperties"})
    strict = {key: _strict(schema[key], defs) for key in kept}
    if schema.get("type") == "object":
        # Names of properties are not keywords: one may well be called "title".
        properties = {name: _strict(value, defs) for name, value in schema.get("properties", {}).items()}
        strict |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    return strict
