"""What of a request is the prompt: its bytes in the order a provider reads them, and their length in tokens."""

import hashlib
import json
from typing import Any

BYTES_PER_TOKEN = 4
"""Of UTF-8: a token is four English letters, two Cyrillic ones, or one and a third Chinese ones."""

IMAGE_BYTES = 765 * BYTES_PER_TOKEN
"""An image counts as 765 tokens, whatever its file weighs."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_MARKS = ("cache_control", "prompt_cache_breakpoint")


def tokens(text: str | bytes) -> int:
    """The length of a text in tokens, rounded up."""
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)


def render(raw: bytes, body: dict[str, Any]) -> bytes:
    """The prompt of a chat request: its tools, then its messages, as they came.

    Cache marks are left out, since they move from turn to turn and no model reads them. A list of one text reads
    like the plain text. ``raw`` is the body before parsing: it tells at once that there are no marks to look for.
    """
    clean = _unmarked if any(mark.encode() in raw for mark in _MARKS) else _as_it_is
    tools, messages = clean(body.get("tools") or []), [_flat(clean(message)) for message in body["messages"]]
    # Without their closing brackets, so that one more message only adds to the end.
    return f"{_encode(tools)[:-1]}\n{_encode(messages)[:-1]}".encode("utf-8", "surrogatepass")


def _flat(message: Any) -> Any:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts = [_part(part) for part in content]
    single = len(parts) == 1 and isinstance(parts[0], dict) and set(parts[0]) == {"type", "text"}
    return {**message, "content": parts[0]["text"] if single else parts}


def _part(part: Any) -> Any:
    image = part.get("image_url") if isinstance(part, dict) else None
    if image is None:
        return part
    address = image.get("url") if isinstance(image, dict) else image
    digest = hashlib.sha256(str(address).encode("utf-8", "surrogatepass")).hexdigest()
    return {"image": (digest * (IMAGE_BYTES // len(digest) + 1))[:IMAGE_BYTES]}


def _as_it_is(value: Any) -> Any:
    return value


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(inner) for name, inner in value.items() if name not in _MARKS}
    if isinstance(value, list):
        return [_unmarked(inner) for inner in value]
    return value
