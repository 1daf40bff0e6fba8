"""An exact request as it may be kept: what a person's pictures show is not in it."""

import hashlib
from typing import Any

_DATA = "data:"
_ENCODED = ";base64,"


def without_pictures(value: Any) -> Any:
    """A request whose inlined files are named by a digest. A copy here would outlive the upload (D3)."""
    if isinstance(value, dict):
        return {name: without_pictures(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_pictures(inner) for inner in value]
    if isinstance(value, str) and value.startswith(_DATA) and _ENCODED in value[:100]:
        kind, _, data = value.partition(_ENCODED)
        return f"{kind};sha256,{hashlib.sha256(data.encode()).hexdigest()}"
    return value
