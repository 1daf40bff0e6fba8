"""What a test reads from chunks and from requests."""

from typing import Any

TERMINAL = {"finish", "abort", "error"}


def shown_text(chunks: list[dict[str, Any]]) -> list[str]:
    texts: dict[str, str] = {}
    for chunk in chunks:
        if chunk["type"] == "text-start":
            assert chunk["id"] not in texts
            texts[chunk["id"]] = ""
        elif chunk["type"] == "text-delta":
            texts[chunk["id"]] += chunk["delta"]
    return list(texts.values())


def is_valid_history(messages: list[dict[str, Any]]) -> bool:
    """Every call is followed directly by exactly one result an id; no result without its call; nothing empty."""
    open_ids: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                return False
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            return False
        if message["role"] == "assistant":
            open_ids = [call["id"] for call in message.get("tool_calls", ())]
            if not message["content"] and not open_ids:
                return False
    return not open_ids
