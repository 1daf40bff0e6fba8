"""Data among the words of the engine: named, and unable to end its own envelope."""

import re

# No text can close a tag that it cannot write.
_TAG = re.compile(r"<(?=/?(?:recalled|day|summary|profile)\b)", re.IGNORECASE)


def envelope(name: str, data: str) -> str:
    """The data inside ``<name>`` and ``</name>``. Every such tag within it has lost its bracket."""
    return f"<{name}>\n{_TAG.sub('&lt;', data)}\n</{name}>"
