"""What the demo model answers to the product itself: summaries, notes, verdicts, and anything with a schema."""

import json
from typing import Any

from tests.devkit.mainline.demo import note_taking
from tests.devkit.mainline.demo.summaries import summary

_DEPTH = 12


def answer(body: dict[str, Any], feature: str) -> str | None:
    """The answer to a request that no person wrote, or None when a person did."""
    if feature == "notes":
        return note_taking.answer(body)
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        schema = (wanted.get("json_schema") or {}).get("schema") or {}
        return json.dumps(instance(schema, schema), ensure_ascii=False)
    if feature == "judge":
        return json.dumps({"verdict": "pass", "score": 1.0, "reason": "A scripted demo model finds no fault."})
    if feature == "summary":
        return summary(body["messages"])
    if wanted.get("type") == "json_object":
        return "{}"
    return None


def instance(schema: dict[str, Any], root: dict[str, Any], depth: int = 0) -> Any:
    """The plainest value that a JSON schema allows."""
    if "$ref" in schema:
        schema = _resolve(schema["$ref"], root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return instance(options[0], root, depth + 1)
    kinds = schema.get("type", "object" if "properties" in schema else "null")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if kind == "object" and depth < _DEPTH:
        required = schema.get("required") or ()
        properties = schema.get("properties") or {}
        return {name: instance(properties.get(name) or {}, root, depth + 1) for name in required}
    if kind == "array" and depth < _DEPTH:
        return [instance(schema.get("items") or {}, root, depth + 1)] * int(schema.get("minItems") or 0)
    plain = {"string": "", "integer": 0, "number": 0.0, "boolean": False, "object": {}, "array": []}
    value = plain.get(kind)
    return schema.get("minimum", value) if kind in ("integer", "number") else value


def _resolve(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    target: Any = root
    for step in reference.removeprefix("#/").split("/"):
        target = target.get(step, {}) if isinstance(target, dict) else {}
    return target if isinstance(target, dict) else {}
