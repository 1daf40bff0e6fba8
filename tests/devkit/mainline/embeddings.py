"""``POST /v1/embeddings``: texts that share words get vectors that point the same way."""

import base64
import hashlib
import math
import struct
from typing import Any

from tests.devkit.mainline.caller import Caller
from tests.devkit.mainline.errors import invalid
from tests.devkit.mainline.pricing import permitted
from tests.devkit.mainline.prompt import tokens
from tests.devkit.mainline.requests import RequestLog
from tests.devkit.mainline.usage import COST_HEADER
from tests.devkit.mainline.wire import Reply
from tests.devkit.mainline.words import words

DIMENSIONS = 256
MOST_TEXTS = 2048


def answer(raw: bytes, body: dict[str, Any], caller: Caller, reply: Reply, log: RequestLog) -> None:
    """Answer one request.

    Raises:
        ApiError: the request is refused.
    """
    model = permitted(body, "embeddings")
    received = log.add(caller.user, caller.feature, model.id, raw)
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not 1 <= len(texts) <= MOST_TEXTS or not all(isinstance(t, str) for t in texts):
        raise invalid(f"input is a text, or a list of 1 to {MOST_TEXTS} texts", "input")
    dimensions = body.get("dimensions") or DIMENSIONS
    packed = body.get("encoding_format") == "base64"
    received.input_tokens = sum(map(tokens, texts))
    data = [
        {"object": "embedding", "index": index, "embedding": _packed(vector) if packed else vector}
        for index, vector in enumerate(embed(text, dimensions) for text in texts)
    ]
    spent = {"prompt_tokens": received.input_tokens, "total_tokens": received.input_tokens}
    cost = model.cost(received.input_tokens, 0, 0)
    whole = {"object": "list", "data": data, "model": model.id, "usage": spent}
    reply.json(200, whole, {COST_HEADER: repr(cost)})


def embed(text: str, dimensions: int) -> list[float]:
    """A vector of length 1, the same for the same words everywhere. Without words it is still a vector."""
    vector = [0.0] * dimensions
    for word in words(text) or ("",):
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        place, sign = struct.unpack("<IB", digest[:5])
        vector[place % dimensions] += 1.0 if sign & 1 else -1.0
    length = math.sqrt(sum(part * part for part in vector)) or 1.0
    return [part / length for part in vector]


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
