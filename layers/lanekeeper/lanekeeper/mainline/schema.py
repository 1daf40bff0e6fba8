"""Pydantic models as strict JSON schemas, and what does not fit one in words."""

from typing import Any

from pydantic import BaseModel, ValidationError

from lanekeeper.types import Json

ERRORS_SHOWN = 5
NAME_CHARS = 60
# Not part of strict schemas, or of no use to a model. The pydantic model still enforces its lengths.
_LEFT_OUT = {"title", "default", "minLength", "maxLength", "examples"}


def strict_schema(model: type[BaseModel]) -> Json:
    """The strict JSON schema of a model: every field required, nothing else allowed, references resolved.

    Raises:
        ValueError: the model contains itself, which no strict schema without references can say.
    """
    schema = model.model_json_schema()
    strict: Json = _strict(schema, schema.get("$defs", {}), ())
    # The model's own docstring speaks to us.
    strict.pop("description", None)
    return strict


def in_words(error: ValidationError) -> str:
    """Which values are wrong and how, without quoting them."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{_path(entry['loc'])}: {entry['msg']}." for entry in found[:ERRORS_SHOWN]]
    if len(found) > ERRORS_SHOWN:
        told.append(f"And {len(found) - ERRORS_SHOWN} more.")
    return " ".join(told)


def _path(steps: tuple[int | str, ...]) -> str:
    # A name that is not known was made up by the model, as long as it liked.
    return ".".join(str(step)[:NAME_CHARS] for step in steps) or "arguments"


def _strict(schema: Any, defs: Json, inside: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_strict(item, defs, inside) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        if name in inside:
            raise ValueError(f"the schema of {name} contains itself")
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _strict(defs[name] | beside, defs, (*inside, name))
    # In an order of our own, so that it does not hang on a library's version.
    kept = sorted(schema.keys() - _LEFT_OUT - {"$defs", "properties", "required", "additionalProperties"})
    strict = {key: _strict(schema[key], defs, inside) for key in kept}
    if schema.get("type") == "object":
        # Names of properties are not keywords: one may well be called "title".
        properties = {name: _strict(value, defs, inside) for name, value in schema.get("properties", {}).items()}
        strict |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    return strict
