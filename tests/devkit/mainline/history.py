"""The rules that providers hold a conversation to. A history that breaks one is refused, as it would be for real."""

from typing import Any

from tests.devkit.mainline.errors import ApiError, invalid

ROLES = {"system", "developer", "user", "assistant", "tool"}


def check(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a chat request.

    Raises:
        ApiError: 400 when a message is malformed or empty, a tool call is not followed by exactly one result for each
            id, or a result has no call before it.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid("messages must hold at least one message", "messages")
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        at = f"messages[{index}]"
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            raise invalid(f"{at} has no known role", f"{at}.role")
        if message["role"] == "tool":
            call_id = message.get("tool_call_id")
            if call_id not in open_calls:
                raise invalid(f"{at} is a tool result, but no tool call with its id precedes it", f"{at}.tool_call_id")
            open_calls.remove(call_id)
            continue
        _refuse_open(open_calls, at)
        _check_content(message, at)
        open_calls = [call["id"] for call in _calls(message, at)]
    _refuse_open(open_calls, "messages")
    return messages


def _refuse_open(open_calls: list[str], at: str) -> None:
    if open_calls:
        missing = ", ".join(open_calls)
        raise invalid(f"{at}: tool calls must be followed by tool results; none came for {missing}", "messages")


def _check_content(message: dict[str, Any], at: str) -> None:
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise invalid(f"{at}.content is neither text nor a list of parts", f"{at}.content")
    if isinstance(content, list) and not all(isinstance(part, dict) and "type" in part for part in content):
        raise invalid(f"{at}.content holds a part without a type", f"{at}.content")
    if not content and not (message["role"] == "assistant" and (message.get("tool_calls") or message.get("refusal"))):
        raise invalid(f"{at} is empty", f"{at}.content")


def _calls(message: dict[str, Any], at: str) -> list[dict[str, Any]]:
    calls = message.get("tool_calls")
    if calls is None:
        return []
    if message["role"] != "assistant" or not isinstance(calls, list) or not calls:
        raise invalid(f"{at}.tool_calls must be a list of at least one call of the assistant", f"{at}.tool_calls")
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str):
            raise invalid(f"{at}.tool_calls holds a call without id or function", f"{at}.tool_calls")
        if not isinstance(function.get("name"), str) or not isinstance(function.get("arguments"), str):
            raise invalid(f"{at}.tool_calls: name and arguments are text", f"{at}.tool_calls")
    if len({call["id"] for call in calls}) != len(calls):
        raise invalid(f"{at}.tool_calls uses an id twice", f"{at}.tool_calls")
    return calls


def check_tools(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The tools that a chat request offers.

    Raises:
        ApiError: 400 when one is no named function, or a name comes twice.
    """
    tools = body.get("tools")
    if tools is None:
        return []
    if not isinstance(tools, list) or not tools:
        raise invalid("tools must be a list of at least one tool", "tools")
    names = []
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str) or not 0 < len(name) <= 64 or not name.replace("_", "").replace("-", "").isalnum():
            raise invalid(f"tools[{index}] is no function with a plain name", f"tools[{index}].function.name")
        names.append(name)
    if len(set(names)) != len(names):
        raise ApiError(400, "two tools have the same name", "invalid_request", param="tools")
    return tools
