"""A tool as a model is told of it: OpenAI's function format, strict, the same bytes at every start."""

from lanekeeper.mainline.schema import strict_schema
from lanekeeper.mainline.text import dumps
from lanekeeper.tools.tool import AnyTool
from lanekeeper.types import Json


def definition(tool: AnyTool) -> Json:
    """The definition of one tool."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": _description(tool),
            "parameters": strict_schema(tool.input),
            "strict": True,
        },
    }


def _description(tool: AnyTool) -> str:
    examples = (f'- "{one.phrase}" -> {dumps(one.arguments.model_dump(mode="json"))}' for one in tool.examples)
    return "\n".join([tool.description.strip(), *(["Examples:", *examples] if tool.examples else [])])
